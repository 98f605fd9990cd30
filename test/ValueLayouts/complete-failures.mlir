// RUN: not shardsmith-opt --plan="cluster=cpu:2" %s 2>&1 | FileCheck %s

// Axes that an op of this rule cannot have are refused with the op's place.

// CHECK: complete-failures.mlir:[[#@LINE+8]]:{{.*}} error: cannot have the axes it is given: factor 0 of size 5 cannot be split into 2 equal parts
module {
  sdy.mesh @mesh = <["tensor"=2]>

  func.func @main(
      %w: tensor<3x5xf32> {smith.role = "param", smith.name = "w"})
      -> (tensor<3x5xf32> {smith.role = "param", smith.name = "w"}) {
    %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %1 = stablehlo.reshape %0
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>,
         smith.factor_axes = #smith.factor_axes<[{"tensor"}, {}]>}
        : (tensor<5x3xf32>) -> tensor<15xf32>
    %2 = stablehlo.reshape %1 : (tensor<15xf32>) -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
}
