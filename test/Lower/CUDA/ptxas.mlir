// REQUIRES: ptxas
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_90a path=%t.ptx" -o /dev/null
// RUN: ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
//
// CHECK: Compiling entry function 'kernel_0' for 'sm_90a'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
func.func @main(%x: tensor<300x1000xbf16>) -> tensor<300xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.exponential %x : tensor<300x1000xbf16>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x1000xbf16>, tensor<bf16>) -> tensor<300xbf16>
  return %1 : tensor<300xbf16>
}
