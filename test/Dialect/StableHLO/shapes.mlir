// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @constants() {
    %cst = stablehlo.constant dense<[[1.500000e+00, -2.000000e+00]]> : tensor<1x2xf32>
    %c = stablehlo.constant {note = "kept"} dense<[-2, 4]> : tensor<2xi64>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,-1.000000e+00)> : tensor<3xcomplex<f32>>
    %c_1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %c_2 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %cst_3 = stablehlo.constant dense<> : tensor<0x3xbf16>
    %cst_4 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %0 = stablehlo.iota dim = 1 : tensor<4x9xui32>
    return
  }
  func.func @movement(%arg0: tensor<6x4xf32>, %arg1: tensor<f32>, %arg2: tensor<6x1xf32>, %arg3: tensor<i64>, %arg4: tensor<2x4xf32>, %arg5: tensor<6x4x2xi16>) {
    %0 = stablehlo.reshape %arg0 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1x1xf32>
    %2 = stablehlo.bitcast_convert %arg0 : (tensor<6x4xf32>) -> tensor<6x4xui32>
    %3 = stablehlo.bitcast_convert %arg0 : (tensor<6x4xf32>) -> tensor<6x4x2xi16>
    %4 = stablehlo.bitcast_convert %arg5 : (tensor<6x4x2xi16>) -> tensor<6x4xf32>
    %5 = stablehlo.broadcast_in_dim %arg2, dims = [2, 0] : (tensor<6x1xf32>) -> tensor<4x3x6xf32>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %7 = stablehlo.broadcast %arg0, sizes = [2, 1] : (tensor<6x4xf32>) -> tensor<2x1x6x4xf32>
    %8 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.reverse %arg0, dims = [1, 0] : tensor<6x4xf32>
    %10 = stablehlo.pad %arg0, %arg1, low = [1, -2], high = [0, 3], interior = [2, 0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<17x5xf32>
    %11 = stablehlo.slice %arg0 [0:6, 2:3] : (tensor<6x4xf32>) -> tensor<6x1xf32>
    %12 = stablehlo.slice %arg0 [1:6:2, 0:4] {note} : (tensor<6x4xf32>) -> tensor<3x4xf32>
    %13 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    %14 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %15 = stablehlo.dynamic_slice %arg1, sizes = [] : (tensor<f32>) -> tensor<f32>
    %16 = stablehlo.dynamic_update_slice %arg0, %arg4, %arg3, %arg3 : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<6x4xf32>
    %17 = stablehlo.concatenate %arg0, %arg4, dim = 0 : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
    %18 = stablehlo.concatenate %arg0, dim = 0 : (tensor<6x4xf32>) -> tensor<6x4xf32>
    return
  }
}

