// RUN: shardsmith-opt %s --train | FileCheck %s
// What returns parameters is a train step already.

// CHECK:      func.func public @main(%[[W:.*]]: tensor<4xf32> {{.*}}, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:   %[[NEW:.*]] = stablehlo.add %[[W]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:   return %[[NEW]] : tensor<4xf32>
// CHECK-NEXT: }
func.func public @main(
    %w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<4xf32> {smith.name = "w", smith.role = "param"}) {
  %0 = stablehlo.add %w, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
