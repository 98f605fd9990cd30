// RUN: shardsmith-opt --plan="cluster=4xh100 fix=data=2,tensor=2" %s | FileCheck %s
// RUN: shardsmith-opt --plan="cluster=4xh100 fix=data=4" %s | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt --plan="cluster=4xh100 fix=fsdp=4" %s | FileCheck %s --check-prefix=FSDP
// RUN: shardsmith-opt --plan="cluster=4xh100 fix=tensor=4" %s | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt --plan="cluster=1xh100" %s | FileCheck %s --check-prefix=ONE

// A file written by the pass makes the same module when it is applied.
// RUN: shardsmith-opt --plan="cluster=4xh100 file=%t.json" %s -o %t.planned.mlir
// RUN: shardsmith-opt --apply-plan="file=%t.json" %s -o %t.applied.mlir
// RUN: diff %t.planned.mlir %t.applied.mlir

// The annotated program can be partitioned.
// RUN: shardsmith-opt --plan="cluster=4xh100" --partition %s | FileCheck %s --check-prefix=LOCAL

// A step of gradient descent on |x w|^2 / 2: g = x^T (x w), w' = w - g.

// CHECK: sdy.mesh @mesh = <["data"=2, "tensor"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %arg0: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>
// CHECK-SAME: %arg1: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, smith.name = "x"
// CHECK: stablehlo.dot_general
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh,
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[

// DATA: sdy.mesh @mesh = <["data"=4]>
// DATA: %arg0: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// DATA-SAME: %arg1: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>
// DATA-SAME: -> (tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>

// FSDP: sdy.mesh @mesh = <["fsdp"=4]>
// FSDP: %arg0: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"fsdp"}]>
// FSDP-SAME: %arg1: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>

// TENSOR: sdy.mesh @mesh = <["tensor"=4]>
// TENSOR: %arg1: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>

// ONE: sdy.mesh @mesh = <["tensor"=1]>
// ONE: %arg0: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>

// LOCAL: func.func @main(
// LOCAL-NOT: smith.factor_axes
// LOCAL: return

func.func @main(
    %w: tensor<8192x4096xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<4096x8192xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<8192x4096xf32> {smith.role = "param", smith.name = "w"},
        tensor<f32> {smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
  %square = stablehlo.multiply %y, %y : tensor<4096x4096xf32>
  %loss = stablehlo.reduce(%square init: %zero)
      applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4096x4096xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
      : (tensor<4096x8192xf32>, tensor<4096x4096xf32>) -> tensor<8192x4096xf32>
  %new = stablehlo.subtract %w, %g : tensor<8192x4096xf32>
  return %new, %loss : tensor<8192x4096xf32>, tensor<f32>
}
