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
// CHECK: Compiling entry function 'sort_2'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'sort_1'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'sort_0'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
func.func @main(%x: tensor<16x1000xf32>, %i: tensor<16x1000xi32>, %y: tensor<4000xbf16>) -> (tensor<16x1000xf32>, tensor<16x1000xi32>, tensor<4000xbf16>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<16x1000xf32>, tensor<16x1000xi32>) -> (tensor<16x1000xf32>, tensor<16x1000xi32>)
  %2 = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4000xbf16>) -> tensor<4000xbf16>
  return %0#0, %0#1, %2 : tensor<16x1000xf32>, tensor<16x1000xi32>, tensor<4000xbf16>
}
