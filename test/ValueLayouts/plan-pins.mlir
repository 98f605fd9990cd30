// RUN: shardsmith-opt --plan="cluster=cpu:4" --verify-diagnostics %s | FileCheck %s

// Shardings in the file are kept, with their mesh, whatever they cost: a
// closed dimension as it is, an open one as the beginning.

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>
// CHECK-SAME: %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"{{.*}}}, {}]>
// CHECK-SAME: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"y", "x"}]>
// CHECK: stablehlo.exponential
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"y"}, {}]>

sdy.mesh @m = <["x"=2, "y"=2]>

func.func @main(
    %w: tensor<8x16xf32> {smith.role = "param", smith.name = "w",
        sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>},
    %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x",
        sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {}]>})
    -> (tensor<8x16xf32> {smith.role = "param", smith.name = "w"},
        tensor<8x16xf32> {smith.role = "output", smith.name = "y",
            sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = stablehlo.add %w, %x : tensor<8x16xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{}, {"y", "x"}]> : tensor<8x16xf32>
  %2 = stablehlo.exponential %1
      {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>}
      : tensor<8x16xf32>
  return %2, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}
