// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @dynamic(%arg0: tensor<?x4xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<5x1xi32>, %arg5: tensor<1x?x3xf32>, %arg6: tensor<2x3x6xf32>, %arg7: tensor<1x2xi32>) {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %arg2, %arg1, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %2 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %3 = stablehlo.dynamic_iota %arg1, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
    %4 = stablehlo.dynamic_pad %arg0, %arg2, %arg1, %arg1, %arg1 : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %5 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %6 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %7 = stablehlo.set_dimension_size %arg0, %arg3, dim = 0 : (tensor<?x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<7, ?>>
    %8 = "stablehlo.dynamic_gather"(%arg0, %arg4, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x4xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
    %9 = "stablehlo.dynamic_conv"(%arg5, %arg6, %arg7) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x?x3xf32>, tensor<2x3x6xf32>, tensor<1x2xi32>) -> tensor<1x?x6xf32>
    return
  }
}

