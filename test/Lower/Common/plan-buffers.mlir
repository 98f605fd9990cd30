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

// Sums of columns: the new value is written behind its column's sum, so over
// the old one that is read there, but not over what the sums read.
// CHECK-LABEL: @columns
// CHECK-SAME: %arg0: tensor<8xf32> {smith.name = "p", smith.offset = 0 : i64
// CHECK-SAME: %arg1: tensor<8xf32> {smith.name = "q", smith.offset = 64 : i64
func.func @columns(%p: tensor<8xf32> {smith.name = "p", smith.role = "param"},
                   %q: tensor<8xf32> {smith.name = "q", smith.role = "param"},
                   %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<8xf32> {smith.name = "p", smith.role = "param"},
        tensor<8xf32> {smith.name = "q", smith.role = "param"}) {
  // CHECK: smith.kernel{{.*}}smith.offsets = array<i64: 0, 256>
  %0:2 = smith.kernel(%p, %q, %x) domain = [4, 8] reduced = [0] : (tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4x8xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %c, %1 : tensor<4x8xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.subtract %a, %3 : tensor<8xf32>
    %5 = stablehlo.subtract %b, %3 : tensor<8xf32>
    smith.kernel_yield %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
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

// -----

// Every buffer begins at a multiple of 64 bytes, in the order of the arguments.
// CHECK-LABEL: @alignment
// CHECK-SAME: smith.offset = 0 : i64
// CHECK-SAME: smith.offset = 64 : i64
// CHECK-SAME: smith.offset = 192 : i64
// CHECK-SAME: smith.arena_bytes = 256 : i64
func.func @alignment(%a: tensor<i1>, %b: tensor<17xf32>, %c: tensor<3xbf16>) {
  return
}

// -----

// A reshape is another view of its operand's buffer; a constant lies in the
// program's data and has no place in the arena.
// CHECK-LABEL: @views
func.func @views(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  // CHECK: stablehlo.constant {smith.offsets = array<i64: -1>}
  %c = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
  // CHECK: stablehlo.reshape %arg0 {smith.offsets = array<i64: 0>}
  %r = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<16xf32>
  // CHECK: smith.offsets = array<i64: 64>
  %0 = smith.kernel(%r, %c) domain = [16] reduced = [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %1 = stablehlo.add %a, %b : tensor<16xf32>
    smith.kernel_yield %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// The alias keeps its operand alive: what is computed while the reshape is
// still to be read must not overwrite it.
// CHECK-LABEL: @alias_lives
func.func @alias_lives(%x: tensor<16xf32>) -> tensor<4x4xf32> {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 64>
  %0 = smith.gemm %x[0, [4, 1]], %x[0, [4, 1]] batch = [] sizes = [4, 4, 4] strides = [4, 1] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %r = stablehlo.reshape %0 : (tensor<16xf32>) -> tensor<4x4xf32>
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 128>
  %1 = smith.gemm %x[0, [4, 1]], %x[0, [4, 1]] batch = [] sizes = [4, 4, 4] strides = [4, 1] : (tensor<16xf32>, tensor<16xf32>) -> tensor<4x4xf32>
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 192>
  %2 = smith.gemm %r[0, [4, 1]], %1[0, [4, 1]] batch = [] sizes = [4, 4, 4] strides = [4, 1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// An element-wise kernel writes over the operand that dies there; not where
// elements change their size.
// CHECK-LABEL: @in_place
func.func @in_place(%x: tensor<16x16xf32>) -> tensor<16x16xbf16> {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: 1024>
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.offsets = array<i64: 1024>
  %1 = smith.kernel(%0) domain = [256] reduced = [] : (tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%a: tensor<256xf32>):
    %3 = stablehlo.exponential %a : tensor<256xf32>
    smith.kernel_yield %3 : tensor<256xf32>
  }
  // CHECK: smith.offsets = array<i64: 2048>
  %2 = smith.kernel(%1) domain = [256] reduced = [] : (tensor<16x16xf32>) -> tensor<16x16xbf16> {
  ^bb0(%a: tensor<256xf32>):
    %3 = stablehlo.convert %a : (tensor<256xf32>) -> tensor<256xbf16>
    smith.kernel_yield %3 : tensor<256xbf16>
  }
  return %2 : tensor<16x16xbf16>
}

// -----

// Two results of a kernel never share the one buffer that dies.
// CHECK-LABEL: @two_results
func.func @two_results(%x: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: [[A:[0-9]+]]>
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.offsets = array<i64: [[A]], 2048>
  %1:2 = smith.kernel(%0) domain = [256] reduced = [] : (tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%a: tensor<256xf32>):
    %2 = stablehlo.exponential %a : tensor<256xf32>
    %3 = stablehlo.negate %a : tensor<256xf32>
    smith.kernel_yield %2, %3 : tensor<256xf32>, tensor<256xf32>
  }
  return %1#0, %1#1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A row is written after its reduction has read it, so a row kernel may work in
// place; a reduction over leading dimensions reads rows of other units.
// CHECK-LABEL: @reductions_in_place
func.func @reductions_in_place(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: [[A:[0-9]+]]>
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.offsets = array<i64: [[A]]>
  %1 = smith.kernel(%0) domain = [16, 16] reduced = [1] : (tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%a: tensor<16x16xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
    %5 = stablehlo.subtract %a, %4 : tensor<16x16xf32>
    smith.kernel_yield %5 : tensor<16x16xf32>
  }
  // CHECK: smith.offsets = array<i64: 2048>
  %2 = smith.kernel(%1) domain = [16, 16] reduced = [0] : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16x16xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    smith.kernel_yield %3 : tensor<16xf32>
  }
  %3 = smith.gemm %x[0, [16, 1]], %2[0, [1, 0]] batch = [] sizes = [16, 1, 16] strides = [1, 0] : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// A sum over ranks may be formed where its operand is; a gather needs room for
// more than it reads.
sdy.mesh @mesh = <["data"=2]>
// CHECK-LABEL: @collectives
func.func @collectives(%x: tensor<16x16xf32>) -> tensor<32x16xf32> {
  // CHECK: smith.gemm {{.*}}smith.offsets = array<i64: [[A:[0-9]+]]>
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: smith.all_reduce {{.*}}smith.offsets = array<i64: [[A]]>
  %1 = smith.all_reduce %0 over ["data"] kind = sum : tensor<16x16xf32>
  // CHECK-NOT: smith.all_gather {{.*}}smith.offsets = array<i64: [[A]]>
  // CHECK: smith.all_gather
  %2 = smith.all_gather %1 over ["data"] dim = 0 : tensor<16x16xf32> -> tensor<32x16xf32>
  return %2 : tensor<32x16xf32>
}

// -----

// Large buffers are placed first, and the small one lies where none of them is
// alive: the arena is no larger than the 2048 bytes alive at once.
// CHECK-LABEL: @gaps
// CHECK-SAME: smith.arena_bytes = 3072 : i64
func.func @gaps(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = smith.gemm %0[0, [16, 1]], %x[0, [16, 0]] batch = [] sizes = [1, 1, 16] strides = [1, 0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<f32>
  %2 = smith.gemm %x[0, [16, 1]], %1[0, [0, 0]] batch = [] sizes = [16, 16, 1] strides = [16, 1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %3 = smith.gemm %2[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [16, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}

// -----

// Kernels of one launch run in any order: what dies in the first is no place
// for the result of the second.
// CHECK-LABEL: @launched_together
// CHECK: smith.offsets = array<i64: 64>
// CHECK: smith.offsets = array<i64: 128>
// CHECK: smith.offsets = array<i64: 192>
// CHECK: smith.offsets = array<i64: 256>
func.func @launched_together(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %u = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.abs %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %0 = smith.kernel(%t) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %1 = smith.kernel(%u) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// As two launches they are.
// CHECK-LABEL: @launched_apart
// CHECK: smith.offsets = array<i64: 64>
// CHECK: smith.offsets = array<i64: 128>
// CHECK: smith.offsets = array<i64: 192>
// CHECK: smith.offsets = array<i64: 64>
func.func @launched_apart(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %u = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.abs %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %0 = smith.kernel(%t) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %1 = smith.kernel(%u) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Each writes over what it alone reads, in step.
// CHECK-LABEL: @together_in_place
// CHECK: smith.offsets = array<i64: 64>
// CHECK: smith.offsets = array<i64: 128>
// CHECK: smith.offsets = array<i64: 64>
// CHECK: smith.offsets = array<i64: 128>
func.func @together_in_place(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %u = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.abs %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %0 = smith.kernel(%t) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %1 = smith.kernel(%u) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// What both read is nobody's place.
// CHECK-LABEL: @read_by_both
// CHECK: smith.offsets = array<i64: 64>
// CHECK: smith.offsets = array<i64: 128>
// CHECK: smith.offsets = array<i64: 192>
// CHECK: smith.offsets = array<i64: 256>
func.func @read_by_both(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.negate %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %u = smith.kernel(%x) domain = [16] reduced = [] : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %s = stablehlo.abs %a : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %0 = smith.kernel(%t, %u) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %s = stablehlo.subtract %a, %b : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %1 = smith.kernel(%u, %t) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %s = stablehlo.subtract %a, %b : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Nor are parameters that another update of the launch reads.
// CHECK-LABEL: @updates_of_two
// CHECK: smith.offsets = array<i64: 128>
// CHECK: smith.offsets = array<i64: 192>
func.func @updates_of_two(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"}, %q: tensor<16xf32> {smith.name = "q", smith.role = "param"}) -> (tensor<16xf32> {smith.name = "p", smith.role = "param"}, tensor<16xf32> {smith.name = "q", smith.role = "param"}) {
  %0 = smith.kernel(%p, %q) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %s = stablehlo.subtract %a, %b : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  %1 = smith.kernel(%q, %p) domain = [16] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %s = stablehlo.subtract %a, %b : tensor<16xf32>
    smith.kernel_yield %s : tensor<16xf32>
  }
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
