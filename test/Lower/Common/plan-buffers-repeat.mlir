// RUN: shardsmith-opt %s --plan-buffers --split-input-file \
// RUN:   --verify-diagnostics | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What is called once per micro-batch works in a workspace of its caller's
// arena. Arguments and results are entries of a table, whose first one is the
// number: -2, -3, …; a sum is written where it was read.
//
//   0 w │ 256 sums │ 512 workspace: product

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %arg0: tensor<64xf32> {smith.name = "w", smith.offset = 0 : i64, smith.role = "param"})
// CHECK-SAME:    smith.arena_bytes = 768 : i64
// CHECK:         smith.kernel() {{.*}}smith.offsets = array<i64: 256>
// CHECK:         smith.repeat @micro_batch count = 4 with(%arg0) carry(%{{.*}}) {smith.offsets = array<i64: 256>, smith.workspace = 512 : i64}
// CHECK-LABEL: func.func private @micro_batch(
// CHECK-SAME:    %arg0: tensor<i32> {smith.offset = -2 : i64}, %arg1: tensor<64xf32> {smith.offset = -3 : i64},
// CHECK-SAME:    %arg2: tensor<64xf32> {smith.name = "sum.0", smith.offset = -4 : i64, smith.role = "state"})
// CHECK-SAME:    -> (tensor<64xf32> {smith.name = "sum.0", smith.offset = -4 : i64, smith.role = "state"})
// CHECK-NOT:     smith.arena_bytes
// CHECK-SAME:    smith.workspace_bytes = 256 : i64
// CHECK:         smith.gemm {{.*}}smith.offsets = array<i64: 0>
// CHECK:         smith.kernel({{.*}}smith.offsets = array<i64: -4>
func.func @main(%w: tensor<64xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<64xf32> {smith.name = "o", smith.role = "output"}) {
  %zeros = smith.kernel() domain = [64] reduced = [] : () -> tensor<64xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<64xf32>
    smith.kernel_yield %0 : tensor<64xf32>
  }
  %sum = smith.repeat @micro_batch count = 4 with(%w) carry(%zeros) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %sum : tensor<64xf32>
}
func.func private @micro_batch(%i: tensor<i32>, %w: tensor<64xf32>,
    %so_far: tensor<64xf32> {smith.name = "sum.0", smith.role = "state"})
    -> (tensor<64xf32> {smith.name = "sum.0", smith.role = "state"}) {
  %product = smith.gemm %w[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %0 = smith.kernel(%so_far, %product) domain = [64] reduced = [] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %1 = stablehlo.add %a, %b : tensor<64xf32>
    smith.kernel_yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Zeros that are shared as well, or that two sums start from, are copied: the
// repetition may not add to them.

// CHECK-LABEL: func.func @main(
// CHECK:         smith.kernel() {{.*}}smith.offsets = array<i64: 0>
// CHECK:         smith.repeat {{.*}} {smith.offsets = array<i64: 256, 512>, smith.workspace = 0 : i64}
// CHECK-LABEL: func.func private @micro_batch(
// CHECK-SAME:    %arg2: tensor<64xf32> {{{[^}]*}}smith.offset = -4 : i64
// CHECK-SAME:    %arg3: tensor<64xf32> {{{[^}]*}}smith.offset = -5 : i64
// CHECK-SAME:    smith.workspace_bytes = 0 : i64
func.func @main() -> (tensor<64xf32> {smith.name = "o"}, tensor<64xf32> {smith.name = "q"}) {
  %zeros = smith.kernel() domain = [64] reduced = [] : () -> tensor<64xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<64xf32>
    smith.kernel_yield %0 : tensor<64xf32>
  }
  %sum:2 = smith.repeat @micro_batch count = 4 with(%zeros) carry(%zeros, %zeros) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  return %sum#0, %sum#1 : tensor<64xf32>, tensor<64xf32>
}
func.func private @micro_batch(%i: tensor<i32>, %z: tensor<64xf32>,
    %a: tensor<64xf32> {smith.name = "sum.0", smith.role = "state"},
    %b: tensor<64xf32> {smith.name = "sum.1", smith.role = "state"})
    -> (tensor<64xf32> {smith.name = "sum.0", smith.role = "state"},
        tensor<64xf32> {smith.name = "sum.1", smith.role = "state"}) {
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// The workspace is free again behind the repetition.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    smith.arena_bytes = 640 : i64
// CHECK:         smith.repeat {{.*}} {smith.offsets = array<i64: 576>, smith.workspace = 256 : i64}
// CHECK:         smith.gemm {{.*}}smith.offsets = array<i64: 256>
// CHECK-LABEL: func.func private @micro_batch(
// CHECK:         smith.gemm {{.*}}smith.offsets = array<i64: 0>
func.func @main(%w: tensor<64xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<f32> {smith.name = "o"}, tensor<64xf32> {smith.name = "p"}) {
  %zero = smith.kernel() domain = [] reduced = [] : () -> tensor<f32> {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    smith.kernel_yield %0 : tensor<f32>
  }
  %sum = smith.repeat @micro_batch count = 4 with(%w) carry(%zero) : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %product = smith.gemm %w[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %sum, %product : tensor<f32>, tensor<64xf32>
}
func.func private @micro_batch(%i: tensor<i32>, %w: tensor<64xf32>,
    %so_far: tensor<f32> {smith.name = "sum.0", smith.role = "state"})
    -> (tensor<f32> {smith.name = "sum.0", smith.role = "state"}) {
  %product = smith.gemm %w[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %0 = smith.kernel(%so_far, %product) domain = [64] reduced = [0] : (tensor<f32>, tensor<64xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<64xf32>):
    %1 = stablehlo.reduce(%b init: %a) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    smith.kernel_yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// A function is planned once, however often it is called.

// CHECK-LABEL: func.func @main()
// CHECK:         smith.repeat @twice count = 2
// CHECK:         smith.repeat @twice count = 3
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME:    smith.workspace_bytes = 0 : i64
func.func @main() {
  smith.repeat @twice count = 2 with() carry() : () -> ()
  smith.repeat @twice count = 3 with() carry() : () -> ()
  return
}
func.func private @twice(%i: tensor<i32>) {
  return
}

// -----

func.func @main() {
  smith.repeat @no_body count = 2 with() carry() : () -> ()
  return
}
// expected-error@+1 {{'@no_body' needs a body of one block for its buffers to be planned}}
func.func private @no_body(tensor<i32>)
