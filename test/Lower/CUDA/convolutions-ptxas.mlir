// REQUIRES: ptxas
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_80 path=%t.80.ptx" -o /dev/null
// RUN: ptxas -v -arch=sm_80 %t.80.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_90a path=%t.90.ptx" -o /dev/null
// RUN: ptxas -v -arch=sm_90a %t.90.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_100a path=%t.100.ptx" -o /dev/null
// RUN: ptxas -v -arch=sm_100a %t.100.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_120 path=%t.120.ptx" -o /dev/null
// RUN: ptxas -v -arch=sm_120 %t.120.ptx -o %t.cubin 2>&1 | FileCheck %s
//
// Forward, the two gradients, and a depthwise convolution.
// CHECK-COUNT-4: 0 bytes spill stores, 0 bytes spill loads
func.func @main(%x: tensor<8x28x28x64xbf16>, %w: tensor<3x3x64x128xbf16>, %f: tensor<7x7x1x64xf32>) -> (tensor<8x14x14x128xbf16>, tensor<8x28x28x64xbf16>, tensor<3x3x64x128xf32>, tensor<8x28x28x64xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x28x28x64xbf16>, tensor<3x3x64x128xbf16>) -> tensor<8x14x14x128xbf16>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x14x14x128xbf16>, tensor<3x3x64x128xbf16>) -> tensor<8x28x28x64xbf16>
  %2 = stablehlo.convolution(%x, %0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [0, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x28x28x64xbf16>, tensor<8x14x14x128xbf16>) -> tensor<3x3x64x128xf32>
  %3 = stablehlo.convert %x : (tensor<8x28x28x64xbf16>) -> tensor<8x28x28x64xf32>
  %4 = stablehlo.convolution(%3, %f) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[3, 3], [3, 3]]} {batch_group_count = 1 : i64, feature_group_count = 64 : i64} : (tensor<8x28x28x64xf32>, tensor<7x7x1x64xf32>) -> tensor<8x28x28x64xf32>
  return %0, %1, %2, %4 : tensor<8x14x14x128xbf16>, tensor<8x28x28x64xbf16>, tensor<3x3x64x128xf32>, tensor<8x28x28x64xf32>
}
