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
// Functions that are formulas of others, matrices, what experts take, and
// convolutions of integers.
//
// CHECK-DAG: Compiling entry function 'kernel_0'
// CHECK-DAG: Compiling entry function 'limit_rows_1'
// CHECK-DAG: Compiling entry function 'triangular_2'
// CHECK-DAG: Compiling entry function 'triangular_3'
// CHECK-DAG: Compiling entry function 'convolution_4'
func.func @main(%x: tensor<4000xf32>, %e: tensor<4x600xi32>, %a: tensor<8x64x64xf32>, %b: tensor<8x64x32xf32>, %i: tensor<2x9x9x8xi8>, %w: tensor<3x3x8x16xi8>) -> (tensor<4000xf32>, tensor<4x600xi32>, tensor<8x64x32xf32>, tensor<2x7x7x16xi32>) {
  %0 = chlo.sinh %x : tensor<4000xf32> -> tensor<4000xf32>
  %1 = chlo.asinh %0 : tensor<4000xf32> -> tensor<4000xf32>
  %2 = chlo.acosh %1 : tensor<4000xf32> -> tensor<4000xf32>
  %3 = chlo.asin %2 : tensor<4000xf32> -> tensor<4000xf32>
  %4 = chlo.erfc %3 : tensor<4000xf32> -> tensor<4000xf32>
  %5 = stablehlo.remainder %4, %x : tensor<4000xf32>
  %6 = chlo.lgamma %5 : tensor<4000xf32> -> tensor<4000xf32>
  %7 = chlo.digamma %6 : tensor<4000xf32> -> tensor<4000xf32>
  %8 = smith.limit_rows %e among = 16 capacity = 20 counts : tensor<4x600xi32>
  %9 = stablehlo.cholesky %a, lower = true : tensor<8x64x64xf32>
  %10 = "stablehlo.triangular_solve"(%9, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<8x64x64xf32>, tensor<8x64x32xf32>) -> tensor<8x64x32xf32>
  %11 = stablehlo.convolution(%i, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x8xi8>, tensor<3x3x8x16xi8>) -> tensor<2x7x7x16xi32>
  return %7, %8, %10, %11 : tensor<4000xf32>, tensor<4x600xi32>, tensor<8x64x32xf32>, tensor<2x7x7x16xi32>
}
