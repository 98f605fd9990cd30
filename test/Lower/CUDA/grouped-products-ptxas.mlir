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
// CHECK: Compiling entry function 'grouped_3'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'grouped_2'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'grouped_1'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'top_k_0'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
func.func @main(%s: tensor<4096x8xf32>, %g: tensor<4096xi32>, %x: tensor<4096x1024xbf16>, %w: tensor<8x1024x512xbf16>) -> (tensor<4096x2xf32>, tensor<4096x2xi32>, tensor<4096x512xbf16>, tensor<4096x1024xbf16>, tensor<8x1024x512xf32>) {
  %0:2 = chlo.top_k(%s, k = 2) : tensor<4096x8xf32> -> (tensor<4096x2xf32>, tensor<4096x2xi32>)
  %1 = smith.grouped_dot %x, %g, %w : (tensor<4096x1024xbf16>, tensor<4096xi32>, tensor<8x1024x512xbf16>) -> tensor<4096x512xbf16>
  %2 = smith.grouped_dot %1, %g, %w transposed : (tensor<4096x512xbf16>, tensor<4096xi32>, tensor<8x1024x512xbf16>) -> tensor<4096x1024xbf16>
  %3 = smith.grouped_outer %x, %g, %1 : (tensor<4096x1024xbf16>, tensor<4096xi32>, tensor<4096x512xbf16>) -> tensor<8x1024x512xf32>
  return %0#0, %0#1, %1, %2, %3 : tensor<4096x2xf32>, tensor<4096x2xi32>, tensor<4096x512xbf16>, tensor<4096x1024xbf16>, tensor<8x1024x512xf32>
}
