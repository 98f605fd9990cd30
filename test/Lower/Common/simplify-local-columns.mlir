// RUN: shardsmith-opt %s --simplify-local=target=cuda | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: shardsmith-opt %s --simplify-local=target=cpu | FileCheck %s --check-prefixes=CHECK,CPU
//
// Sums of long columns. A device has more threads than columns, so it sums
// pieces first; a processor has not.

// CHECK-LABEL: @long_columns(
// CPU-NOT: stablehlo.reshape
// CPU: stablehlo.reduce
// CUDA: %[[PIECES:.+]] = stablehlo.reshape {{.*}} -> tensor<16x512x768xf32>
// CUDA: %[[SUMS:.+]] = stablehlo.reduce(%[[PIECES]] init: {{.*}} across dimensions = [1] {{.*}} -> tensor<16x768xf32>
// CUDA: stablehlo.reduce(%[[SUMS]] init: {{.*}} across dimensions = [0] {{.*}} -> tensor<768xf32>
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @long_columns(%x: tensor<8x1024x768xf32>) -> tensor<768xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x1024x768xf32>, tensor<f32>) -> tensor<768xf32>
  return %0 : tensor<768xf32>
}

// Columns that are short, too many or odd in number stay as they are, as do
// dimensions in between.
// CHECK-LABEL: @others(
// CHECK-NOT: stablehlo.reshape
// CHECK: return
func.func @others(%a: tensor<512x768xf32>, %b: tensor<1024x65536xf32>, %c: tensor<1023x8xf32>, %d: tensor<4x1024x8xf32>) -> (tensor<768xf32>, tensor<65536xf32>, tensor<8xf32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x768xf32>, tensor<f32>) -> tensor<768xf32>
  %1 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024x65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %2 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1023x8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x1024x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<768xf32>, tensor<65536xf32>, tensor<8xf32>, tensor<4x8xf32>
}
