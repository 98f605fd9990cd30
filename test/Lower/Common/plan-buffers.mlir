// RUN: shardsmith-opt %s --plan-buffers --split-input-file --verify-diagnostics | FileCheck %s

// A parameter's new value is written over the old one, which is read in step.
// CHECK-LABEL: @donated
// CHECK-SAME: %arg0: tensor<16xf32> {smith.name = "p", smith.offset = 0 : i64, smith.role = "param"}
// CHECK-SAME: -> (tensor<16xf32> {smith.name = "p", smith.offset = 0 : i64, smith.role = "param"}
// CHECK-SAME: smith.arena_bytes = 128 : i64
func.func @donated(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"},
                   %g: tensor<16xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<16xf32> {smith.name = "p", smith.role = "param"}) {
  // CHECK: smith.offsets = array<i64: 0>
  %0 = smith.kernel(%p, %g) domain = [16] reduced = [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %1 = stablehlo.subtract %a, %b : tensor<16xf32>
    smith.kernel_yield %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// The old value is read backwards: it must survive until the kernel is done.
// CHECK-LABEL: @not_in_step
// CHECK-SAME: -> (tensor<16xf32> {smith.name = "p", smith.offset = 0 : i64, smith.role = "param"}
func.func @not_in_step(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"})
    -> (tensor<16xf32> {smith.name = "p", smith.role = "param"}) {
  // CHECK: smith.offsets = array<i64: 64>
  %0 = smith.kernel(%p) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %1 = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
    smith.kernel_yield %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// Read again after the new value exists: no sharing either.
// CHECK-LABEL: @read_later
func.func @read_later(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"})
    -> (tensor<16xf32> {smith.name = "p", smith.role = "param"},
        tensor<16xf32> {smith.name = "o", smith.role = "output"}) {
  // CHECK: smith.offsets = array<i64: 64>
  %0 = smith.kernel(%p) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %1 = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %1 : tensor<16xf32>
  }
  // CHECK: smith.offsets = array<i64: 128>
  %2 = smith.kernel(%p, %0) domain = [16] reduced = [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %3 = stablehlo.multiply %a, %b : tensor<16xf32>
    smith.kernel_yield %3 : tensor<16xf32>
  }
  return %0, %2 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Two values that are never alive together share memory; products are never
// written over their operands.
// CHECK-LABEL: @reuse
// CHECK-SAME: smith.arena_bytes = 3072 : i64
func.func @reuse(%x: tensor<16x16xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<16x16xf32> {smith.name = "o", smith.role = "output"}) {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 1024>
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 2048>
  %1 = smith.gemm %0[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 1024>
  %2 = smith.gemm %1[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// -----

// expected-error @+1 {{result 0 has type 'tensor<8xf32>' but replaces argument 0 of type 'tensor<16xf32>'}}
func.func @other_type(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"})
    -> (tensor<8xf32> {smith.name = "p", smith.role = "param"}) {
  %0 = smith.kernel(%p) domain = [8] reduced = [] : (tensor<16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<16xf32>):
    %1 = stablehlo.slice %a [0:8] : (tensor<16xf32>) -> tensor<8xf32>
    smith.kernel_yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
