// RUN: shardsmith-opt %s --simplify-local --canonicalize | FileCheck %s

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: @barrier
func.func @barrier(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.optimization_barrier %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @large_sum
func.func @large_sum(%x: tensor<512x256xf32>) -> tensor<f32> {
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @small_sum
func.func @small_sum(%x: tensor<4x4xf32>) -> tensor<f32> {
  // CHECK: dimensions = [0, 1]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @all_to_all
func.func @all_to_all(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 0, 2]
  // CHECK: %[[E:.*]] = smith.exchange_blocks %[[T]] over ["data"] : tensor<2x4x4xf32>
  // CHECK: stablehlo.reshape {{.*}} -> tensor<8x4xf32>
  %0 = smith.all_to_all %x over ["data"] split_dim = 1 concat_dim = 0 : tensor<4x8xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @scatter_into_sum
func.func @scatter_into_sum(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<9x4xf32> {
  // CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2)
  // CHECK-NOT: stablehlo.add {{.*}} : tensor<9x4xf32>
  // CHECK: return
  %zeros = stablehlo.constant dense<0.0> : tensor<9x4xf32>
  %0 = "stablehlo.scatter"(%zeros, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %2 = stablehlo.add %0, %x : tensor<9x4xf32>
  return %2 : tensor<9x4xf32>
}

// Gradients of slices that do not overlap: a concatenation, zeros in the gap.
// CHECK-LABEL: @pads
func.func @pads(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) -> tensor<2x7xf32> {
  // CHECK: %[[GAP:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf32>
  // CHECK: stablehlo.concatenate %arg0, %[[GAP]], %arg1, dim = 1
  // CHECK-NOT: stablehlo.add
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 4], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  %1 = stablehlo.pad %b, %zero, low = [0, 5], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x7xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x7xf32>
  return %2 : tensor<2x7xf32>
}

// Pads that overlap stay a sum.
// CHECK-LABEL: @overlapping_pads
func.func @overlapping_pads(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) -> tensor<2x7xf32> {
  // CHECK: stablehlo.add
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 4], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  %1 = stablehlo.pad %b, %zero, low = [0, 2], high = [0, 0], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x7xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x7xf32>
  return %2 : tensor<2x7xf32>
}
