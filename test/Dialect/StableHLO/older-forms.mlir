// RUN: shardsmith-opt %s | FileCheck %s

// Dimension lists as dense elements, in both generic positions.
func.func @dense(%x: tensor<8x4xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0]
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0]
  %1 = "stablehlo.transpose"(%x) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] {note = "kept"}
  %2 = "stablehlo.transpose"(%x) {permutation = array<i64: 1, 0>, note = "kept"} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.slice %arg0 [0:8, 0:4:2]
  %3 = "stablehlo.slice"(%x) {start_indices = dense<0> : tensor<2xi64>, limit_indices = dense<[8, 4]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg1, dims = []
  %4 = "stablehlo.broadcast_in_dim"(%s) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.convolution(%arg0, %arg0) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], reverse = []}
  %5 = "stablehlo.convolution"(%x, %x) {window_strides = dense<> : tensor<0xi64>, window_reversal = dense<> : tensor<0xi1>, dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  return
}

// Attributes with defaults may be given or left out, fields in any order.
func.func @defaults(%t: tensor<9x2xf32>, %i: tensor<3x1xi32>, %v: tensor<5xf32>) {
  // CHECK: #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  %0 = "stablehlo.gather"(%t, %i) {slice_sizes = array<i64: 1, 2>, dimension_numbers = #stablehlo.gather<index_vector_dim = 1, start_index_map = [0], operand_batching_dims = [], collapsed_slice_dims = [0], offset_dims = [1]>} : (tensor<9x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  // CHECK: "stablehlo.sort"(%arg2) ({
  %1 = "stablehlo.sort"(%v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// Both spellings of types; printing takes the shorter.
func.func @types(%x: tensor<6xf32>, %b: tensor<6xi1>) {
  // CHECK: stablehlo.negate %arg0 : tensor<6xf32>
  %0 = stablehlo.negate %x : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.add %arg0, %arg0 : tensor<6xf32>
  %1 = stablehlo.add %x, %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.complex %arg0, %arg0 : tensor<6xcomplex<f32>>
  %2 = stablehlo.complex %x, %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xcomplex<f32>>
  // CHECK: stablehlo.select %arg1, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
  %3 = stablehlo.select %b, %x, %x : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.compare {{ *}}LT, %arg0, %arg0, {{ *}}FLOAT :
  %4 = stablehlo.compare  LT, %x, %x,  FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  // CHECK: stablehlo.tuple %arg0 : tuple<tensor<6xf32>>
  %5 = stablehlo.tuple %x : (tensor<6xf32>) -> tuple<tensor<6xf32>>
  return
}
