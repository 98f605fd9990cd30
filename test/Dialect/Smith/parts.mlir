// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s

sdy.mesh @mesh = <["data"=2, "tensor"=2]>

// CHECK-LABEL: @inside
// CHECK-SAME: smith.parts = [#smith.parts<dim 1: [3, 4, 2] [{}, {"tensor"}, {}]>]
func.func @inside(%w: tensor<8x24xf32> {smith.parts = [#smith.parts<dim 1: [3, 4, 2] [{}, {"tensor"}, {}]>]}) -> tensor<8x24xf32> {
  // CHECK: smith.parts = {{\[}}[#smith.parts<dim 0: [2, 4] [{"data"}, {"tensor"}]>]], smith.recompute = "selective", smith.split = "n4", smith.stage = 3 : i64
  %0 = stablehlo.tanh %w {smith.parts = [[#smith.parts<dim 0: [2, 4] [{"data"}, {"tensor"}]>]], smith.recompute = "selective", smith.split = "n4", smith.stage = 3 : i64} : tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}
