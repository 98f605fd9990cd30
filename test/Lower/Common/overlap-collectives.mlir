// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(overlap-collectives))' --split-input-file | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(overlap-collectives{target=cuda}))' --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(overlap-collectives),plan-buffers)' --split-input-file | FileCheck %s --check-prefix=PLACES
// SPDX-License-Identifier: Apache-2.0

// NONE-NOT: smith.later

// A gather of an argument begins a product earlier; one of what is computed
// stays, and so does one that is small.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @gathers
// CHECK: smith.all_gather %arg1 {{.*}} {smith.later}
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.all_gather %arg2 over ["data"] dim = 0 : tensor<4x256xf32>
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.all_gather %{{[0-9]+}} {{.*}} {smith.later}
// CHECK-NEXT: smith.gemm
func.func @gathers(%x: tensor<256x256xf32>, %w: tensor<128x256xf32>, %small: tensor<4x256xf32>) -> tensor<256x512xf32> {
  %0 = smith.gemm %x[0, [256, 1]], %x[0, [256, 1]] batch = [] sizes = [256, 256, 256] strides = [256, 1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = smith.all_gather %w over ["data"] dim = 0 : tensor<128x256xf32> -> tensor<256x256xf32>
  %2 = smith.gemm %0[0, [256, 1]], %1[0, [256, 1]] batch = [] sizes = [256, 256, 256] strides = [256, 1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = smith.all_gather %small over ["data"] dim = 0 : tensor<4x256xf32> -> tensor<8x256xf32>
  %4 = smith.gemm %2[0, [256, 1]], %3[0, [1, 256]] batch = [] sizes = [256, 8, 256] strides = [8, 1] : (tensor<256x256xf32>, tensor<8x256xf32>) -> tensor<256x8xf32>
  %5 = smith.all_gather %2 over ["data"] dim = 0 : tensor<256x256xf32> -> tensor<512x256xf32>
  %6 = smith.gemm %4[0, [8, 1]], %5[0, [1, 256]] batch = [] sizes = [256, 512, 8] strides = [512, 1] : (tensor<256x8xf32>, tensor<512x256xf32>) -> tensor<256x512xf32>
  return %6 : tensor<256x512xf32>
}

// -----

// An update comes after the product behind the sum that it reads, or after the
// next sum has begun. What a scatter reads is kept until then, so that nothing
// is written over it.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @sums
// CHECK: smith.gemm
// CHECK-NEXT: smith.reduce_scatter {{.*}} {smith.later}
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.kernel
// CHECK: smith.all_reduce {{.*}} {smith.later}
// CHECK-NEXT: smith.reduce_scatter {{.*}} {smith.later}
// CHECK-NEXT: smith.kernel
// CHECK: smith.kernel
// CHECK: return

// PLACES-LABEL: func.func @sums
// PLACES: smith.gemm {{.*}}smith.offsets = array<i64: [[FIRST:[0-9]+]]>
// PLACES-NEXT: smith.reduce_scatter
// PLACES-NOT: smith.gemm {{.*}}smith.offsets = array<i64: [[FIRST]]>
// PLACES: smith.kernel
func.func @sums(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> (tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>) {
  %0 = smith.gemm %x[0, [256, 1]], %x[0, [256, 1]] batch = [] sizes = [256, 256, 256] strides = [256, 1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = smith.reduce_scatter %0 over ["data"] dim = 0 kind = sum : tensor<256x256xf32> -> tensor<128x256xf32>
  %2 = smith.kernel(%1) domain = [32768] reduced = [] : (tensor<128x256xf32>) -> tensor<128x256xf32> {
  ^bb0(%in: tensor<32768xf32>):
    %n = stablehlo.negate %in : tensor<32768xf32>
    smith.kernel_yield %n : tensor<32768xf32>
  }
  %3 = smith.gemm %x[0, [256, 1]], %y[0, [256, 1]] batch = [] sizes = [256, 256, 256] strides = [256, 1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %4 = smith.all_reduce %3 over ["data"] kind = sum : tensor<256x256xf32>
  %5 = smith.kernel(%4) domain = [65536] reduced = [] : (tensor<256x256xf32>) -> tensor<256x256xf32> {
  ^bb0(%in: tensor<65536xf32>):
    %n = stablehlo.negate %in : tensor<65536xf32>
    smith.kernel_yield %n : tensor<65536xf32>
  }
  %6 = smith.reduce_scatter %y over ["data"] dim = 0 kind = sum : tensor<256x256xf32> -> tensor<128x256xf32>
  %7 = smith.kernel(%6) domain = [32768] reduced = [] : (tensor<128x256xf32>) -> tensor<128x256xf32> {
  ^bb0(%in: tensor<32768xf32>):
    %n = stablehlo.negate %in : tensor<32768xf32>
    smith.kernel_yield %n : tensor<32768xf32>
  }
  return %2, %5, %7 : tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>
}
