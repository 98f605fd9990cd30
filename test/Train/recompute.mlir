// RUN: shardsmith-opt %s --recompute | FileCheck %s

// Of unit 0 everything runs again but its output, which unit 1 reads; of unit 1
// what no op reads that does not run again itself. A view of what runs again
// runs again with it, what the backward pass does not read does not.

sdy.mesh @mesh = <["tensor"=2]>

// CHECK-LABEL: @main
// CHECK-SAME: %[[W:.*]]: tensor<4x4xf32> {{.*}}, %[[X:.*]]: tensor<4x4xf32>
func.func @main(
    %w: tensor<4x4xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<4x4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4x4xf32> {smith.role = "param", smith.name = "w"}) {
  %two = stablehlo.constant dense<2.0> : tensor<4x4xf32>
  // CHECK: %[[A:.*]] = stablehlo.tanh
  %in = stablehlo.negate %x : tensor<4x4xf32>
  %a = stablehlo.tanh %in {smith.unit = 0 : i64, smith.recompute = "full"} : tensor<4x4xf32>
  %view = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %unread = stablehlo.abs %a {smith.unit = 0 : i64, smith.recompute = "full"} : tensor<4x4xf32>
  %y = stablehlo.add %view, %unread {smith.unit = 0 : i64, smith.recompute = "full",
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"tensor"}, {}]>]>} : tensor<4x4xf32>
  %b = stablehlo.exponential %y {smith.unit = 1 : i64, smith.recompute = "selective"} : tensor<4x4xf32>
  // CHECK: %[[C:.*]] = stablehlo.log
  %c = stablehlo.log %b {smith.unit = 1 : i64, smith.recompute = "selective"} : tensor<4x4xf32>
  // CHECK: stablehlo.multiply %[[C]], {{.*}} {smith.recompute = "none", smith.unit = 1 : i64}
  %z = stablehlo.multiply %c, %two {smith.unit = 1 : i64, smith.recompute = "none"} : tensor<4x4xf32>

  // CHECK: %[[Y1:.*]] = stablehlo.optimization_barrier
  // CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"tensor"}, {}]>]>
  // CHECK-NEXT: %[[B1:.*]] = stablehlo.exponential %[[Y1]] : tensor<4x4xf32>
  // CHECK-NEXT: %[[DB:.*]] = stablehlo.add %[[B1]], %[[C]]
  %db = stablehlo.add %b, %c : tensor<4x4xf32>
  // CHECK-NEXT: %[[IN1:.*]] = stablehlo.optimization_barrier
  // CHECK-NEXT: %[[A1:.*]] = stablehlo.tanh %[[IN1]] : tensor<4x4xf32>
  // CHECK-NEXT: %[[VIEW1:.*]] = stablehlo.transpose %[[A1]]
  // CHECK-NEXT: stablehlo.multiply %[[DB]], %[[VIEW1]]
  %dview = stablehlo.multiply %db, %view : tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.subtract {{.*}}, %[[A1]]
  %da = stablehlo.subtract %dview, %a : tensor<4x4xf32>
  %new = stablehlo.subtract %w, %da : tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}
