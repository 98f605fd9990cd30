// RUN: not shardsmith-opt --plan="cluster=%S/Inputs/two-islands.json fix=data=4" %s 2>&1 | FileCheck %s
// RUN: shardsmith-opt --plan="cluster=%S/Inputs/two-islands.json" %s | FileCheck %s --check-prefix=FREE

// Where no link leads a collective never ends. Gradients of a split batch need
// one; everything can be done by all instead.

// CHECK: no plan fits: nothing connects all devices of the cluster; add an interconnect between its groups

// FREE: %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>

func.func @main(
    %w: tensor<16x4xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<16x4xf32> {smith.role = "param", smith.name = "w"}) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
      : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %new = stablehlo.subtract %w, %g : tensor<16x4xf32>
  return %new : tensor<16x4xf32>
}
