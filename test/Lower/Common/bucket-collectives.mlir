// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(bucket-collectives))' --split-input-file | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(bucket-collectives{target=cuda}))' --split-input-file | FileCheck %s --check-prefix=ALONE
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(bucket-collectives),plan-buffers)' --split-input-file | FileCheck %s --check-prefix=PLACES
// SPDX-License-Identifier: Apache-2.0

// ALONE-NOT: smith.bucket

// Sums of two gradients, an update of each and a gather of what it makes are two
// messages, and updates come between them. A product whose operand is gathered
// does not wait, nor does its gather.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main
// CHECK: smith.all_gather %{{.*}} : tensor<8x8xf32> -> tensor<16x8xf32>
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.reduce_scatter %{{.*}} {smith.bucket = [[SUMS:[0-9]+]] : i64}
// CHECK-NEXT: smith.reduce_scatter %{{.*}} {smith.bucket = [[SUMS]] : i64}
// CHECK-NEXT: smith.kernel
// CHECK: smith.kernel
// CHECK: smith.all_gather %{{.*}} {smith.bucket = [[PARTS:[0-9]+]] : i64}
// CHECK-NEXT: smith.all_gather %{{.*}} {smith.bucket = [[PARTS]] : i64}
// CHECK-NEXT: return

// Both sums are read before either result is written, so no two of the four
// buffers are one.
// PLACES-LABEL: func.func @main
// PLACES: smith.reduce_scatter {{.*}}smith.offsets = array<i64: [[A:[0-9]+]]>
// PLACES-NOT: smith.reduce_scatter {{.*}}smith.offsets = array<i64: [[A]]>
func.func @main(%x: tensor<16xf32>, %w: tensor<8x8xf32>, %v: tensor<16x8xf32>) -> (tensor<16xf32>, tensor<16x8xf32>) {
  %a = smith.reduce_scatter %x over ["data"] dim = 0 kind = sum : tensor<16xf32> -> tensor<8xf32>
  %p = smith.kernel(%a) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%in: tensor<8xf32>):
    %n = stablehlo.negate %in : tensor<8xf32>
    smith.kernel_yield %n : tensor<8xf32>
  }
  %c = smith.all_gather %p over ["data"] dim = 0 : tensor<8xf32> -> tensor<16xf32>
  %g = smith.all_gather %w over ["data"] dim = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  %y = smith.gemm %v[0, [8, 1]], %g[0, [1, 8]] batch = [] sizes = [16, 16, 8] strides = [16, 1] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
  %b = smith.reduce_scatter %y over ["data"] dim = 1 kind = sum : tensor<16x16xf32> -> tensor<16x8xf32>
  %q = smith.kernel(%b) domain = [128] reduced = [] : (tensor<16x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%in: tensor<128xf32>):
    %s = stablehlo.slice %in [0:64] : (tensor<128xf32>) -> tensor<64xf32>
    smith.kernel_yield %s : tensor<64xf32>
  }
  %d = smith.all_gather %q over ["data"] dim = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  return %c, %d : tensor<16xf32>, tensor<16x8xf32>
}

// -----

// Other axes, reductions and element types are other messages; one of a kind
// stays where it was, and so do collectives between stages.

sdy.mesh @mesh = <["data"=2, "pipeline"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: smith.bucket
func.func @main(%x: tensor<4xf32>, %h: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) {
  %0 = smith.all_reduce %x over ["data"] kind = sum : tensor<4xf32>
  %1 = smith.all_reduce %x over ["data"] kind = max : tensor<4xf32>
  %2 = smith.all_reduce %h over ["data"] kind = sum : tensor<4xf16>
  %3 = smith.all_reduce %x over ["pipeline"] kind = sum : tensor<4xf32>
  %4 = smith.all_reduce %y over ["pipeline"] kind = sum : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Half a bucket each: the third begins another one, and what is larger than a
// bucket is alone. One operand is in a bucket once.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main
// CHECK: smith.all_reduce %arg0 {{.*}} {smith.bucket = [[ONE:[0-9]+]] : i64}
// CHECK-NEXT: smith.all_reduce %arg1 {{.*}} {smith.bucket = [[ONE]] : i64}
// CHECK-NEXT: smith.all_reduce %arg4 over ["data"] kind = sum : tensor<65537xf32>
// CHECK-NEXT: smith.all_reduce %arg2 {{.*}} kind = sum {smith.bucket = [[TWO:[0-9]+]] : i64}
// CHECK-NEXT: smith.all_reduce %arg3 {{.*}} {smith.bucket = [[TWO]] : i64}
// CHECK-NEXT: smith.all_reduce %arg3 over ["data"] kind = sum : tensor<8xf32>
func.func @main(%a: tensor<32768xf32>, %b: tensor<32768xf32>, %c: tensor<32768xf32>, %d: tensor<8xf32>, %e: tensor<65537xf32>)
    -> (tensor<32768xf32>, tensor<32768xf32>, tensor<32768xf32>, tensor<8xf32>, tensor<65537xf32>, tensor<8xf32>) {
  %0 = smith.all_reduce %a over ["data"] kind = sum : tensor<32768xf32>
  %1 = smith.all_reduce %b over ["data"] kind = sum : tensor<32768xf32>
  %2 = smith.all_reduce %c over ["data"] kind = sum : tensor<32768xf32>
  %3 = smith.all_reduce %d over ["data"] kind = sum : tensor<8xf32>
  %4 = smith.all_reduce %e over ["data"] kind = sum : tensor<65537xf32>
  %5 = smith.all_reduce %d over ["data"] kind = sum : tensor<8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<32768xf32>, tensor<32768xf32>, tensor<32768xf32>, tensor<8xf32>, tensor<65537xf32>, tensor<8xf32>
}

// -----

// What ZeRO-3 gathers for products comes with the first of its message, as long
// as that is no larger than a bucket; so it is not for what is computed.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main
// CHECK: smith.all_gather %arg1 {{.*}} {smith.bucket = [[ONE:[0-9]+]] : i64}
// CHECK-NEXT: smith.all_gather %arg2 {{.*}} {smith.bucket = [[ONE]] : i64}
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.all_gather %arg3 over ["data"] dim = 0 : tensor<65536x8xf32>
// CHECK-NEXT: smith.gemm
// CHECK-NEXT: smith.all_gather %{{.*}} over ["data"] dim = 0 : tensor<8x8xf32>
// CHECK-NEXT: smith.gemm
func.func @main(%x: tensor<8x8xf32>, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %large: tensor<65536x8xf32>) -> (tensor<8x131072xf32>, tensor<8x16xf32>) {
  %0 = smith.all_gather %a over ["data"] dim = 0 : tensor<4x8xf32> -> tensor<8x8xf32>
  %1 = smith.gemm %x[0, [8, 1]], %0[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = smith.all_gather %b over ["data"] dim = 0 : tensor<4x8xf32> -> tensor<8x8xf32>
  %3 = smith.gemm %1[0, [8, 1]], %2[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = smith.all_gather %large over ["data"] dim = 0 : tensor<65536x8xf32> -> tensor<131072x8xf32>
  %5 = smith.gemm %3[0, [8, 1]], %4[0, [1, 8]] batch = [] sizes = [8, 131072, 8] strides = [131072, 1] : (tensor<8x8xf32>, tensor<131072x8xf32>) -> tensor<8x131072xf32>
  %6 = smith.all_gather %3 over ["data"] dim = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  %7 = smith.gemm %3[0, [8, 1]], %6[0, [1, 8]] batch = [] sizes = [8, 16, 8] strides = [16, 1] : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  return %5, %7 : tensor<8x131072xf32>, tensor<8x16xf32>
}
