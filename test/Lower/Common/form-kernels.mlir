// RUN: shardsmith-opt %s --form-kernels --collapse-kernels | FileCheck %s

// Pointwise ops on one shape are one kernel over one long row.
// CHECK-LABEL: @pointwise
func.func @pointwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: smith.kernel({{.*}}) domain = [32] reduced = []
  // CHECK: stablehlo.multiply {{.*}} : tensor<32xf32>
  // CHECK: stablehlo.add {{.*}} : tensor<32xf32>
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %0 = stablehlo.multiply %x, %x : tensor<4x8xf32>
  %1 = stablehlo.add %0, %y : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// The whole of a softmax keeps a row in cache.
// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: smith.kernel(%arg0) domain = [4, 8] reduced = [1]
  // CHECK: applies stablehlo.maximum
  // CHECK: stablehlo.exponential
  // CHECK: applies stablehlo.add
  // CHECK: stablehlo.divide
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %p = stablehlo.divide %e, %sb : tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}

// A value that two kernels need is stored by the kernel that computes it; a
// value at another position than the loops' is not fused.
// CHECK-LABEL: @transposed_use
func.func @transposed_use(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[E:.*]] = smith.kernel(%arg0)
  // CHECK: stablehlo.exponential
  // CHECK: smith.kernel(%[[E]])
  // CHECK: stablehlo.transpose
  // CHECK: stablehlo.add
  %e = stablehlo.exponential %x : tensor<8x8xf32>
  %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %e, %t : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// Merging the first and the last op would make a cycle through the product.
// CHECK-LABEL: @no_cycle
func.func @no_cycle(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: smith.kernel
  // CHECK: stablehlo.exponential
  // CHECK: smith.gemm
  // CHECK: smith.kernel
  // CHECK: stablehlo.add
  %e = stablehlo.exponential %x : tensor<8x8xf32>
  %g = smith.gemm %e[0, [8, 1]], %e[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %e, %g : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// A reduction over leading dimensions takes in the producer that only it
// reads, and what follows on its results.
// CHECK-LABEL: @columns
func.func @columns(%x: tensor<16x8xf32>, %y: tensor<16x8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: smith.kernel(%arg0, %arg1) domain = [16, 8] reduced = [0]
  // CHECK: stablehlo.multiply
  // CHECK: stablehlo.reduce
  // CHECK: stablehlo.negate
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<16x8xf32>
  %s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  %n = stablehlo.negate %s : tensor<8xf32>
  return %n : tensor<8xf32>
}

// It must not swallow a value that is also returned.
// CHECK-LABEL: @columns_and_result
func.func @columns_and_result(%x: tensor<16x8xf32>, %y: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>) {
  // CHECK: smith.kernel({{.*}}) domain = [128] reduced = []
  // CHECK: smith.kernel({{.*}}) domain = [16, 8] reduced = [0]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<16x8xf32>
  %s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %p, %s : tensor<16x8xf32>, tensor<8xf32>
}

// A comparator has constants of its own: those of the function become parts of
// kernels.
// CHECK-LABEL: @comparator
func.func @comparator(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: stablehlo.sort
  // CHECK: ^bb0
  // CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant
  // CHECK-NEXT: stablehlo.compare EQ, %{{.*}}, %[[ZERO]]
  // CHECK: smith.kernel
  // CHECK: stablehlo.add
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %isZero = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %isZero, %less : tensor<i1>
    stablehlo.return %both : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %sum = stablehlo.add %sorted, %zeros : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// An exponential that two kernels need is stored, a cheap op on it computed in
// each of them.
// CHECK-LABEL: @expensive_and_cheap
func.func @expensive_and_cheap(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[FIRST:.*]]:2 = smith.kernel(
  // CHECK: %[[E:.*]] = stablehlo.exponential
  // CHECK: %[[N:.*]] = stablehlo.negate %[[E]]
  // CHECK: %[[S:.*]] = stablehlo.add %[[N]]
  // CHECK: smith.kernel_yield %[[E]], %[[S]]
  // CHECK: %[[G:.*]] = smith.gemm %[[FIRST]]#1[
  // CHECK: smith.kernel(%[[G]], %[[FIRST]]#0)
  // CHECK-NOT: stablehlo.exponential
  // CHECK: stablehlo.negate
  // CHECK: stablehlo.add
  %e = stablehlo.exponential %x : tensor<8x8xf32>
  %n = stablehlo.negate %e : tensor<8x8xf32>
  %a = stablehlo.add %n, %y : tensor<8x8xf32>
  %g = smith.gemm %a[0, [8, 1]], %a[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %n, %g : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// Two kernels that read a broadcast of a row each repeat it themselves.
// CHECK-LABEL: @broadcast_is_free
func.func @broadcast_is_free(%x: tensor<16x8xf32>, %b: tensor<8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>) {
  // CHECK-NOT: smith.kernel(%arg1) domain
  // CHECK: smith.kernel(%arg0, %arg1)
  // CHECK: stablehlo.broadcast_in_dim
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<16x8xf32>
  %s = stablehlo.add %x, %r : tensor<16x8xf32>
  %m = stablehlo.multiply %x, %r : tensor<16x8xf32>
  %t = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
  return %s, %t : tensor<16x8xf32>, tensor<16xf32>
}

// A product reads a slice from memory, a kernel takes it by index: the slice is
// stored for the product only.
// CHECK-LABEL: @separate_uses
func.func @separate_uses(%x: tensor<8x16xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[S:.*]] = smith.kernel(%arg0) domain = [8, 8]
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: stablehlo.slice
  // CHECK-NEXT: smith.kernel_yield
  // CHECK: smith.kernel(%arg0)
  // CHECK: stablehlo.slice
  // CHECK: stablehlo.negate
  // CHECK: smith.gemm %[[S]][0, [8, 1]], %[[S]][0, [8, 1]]
  %s = stablehlo.slice %x [0:8, 8:16] : (tensor<8x16xf32>) -> tensor<8x8xf32>
  %n = stablehlo.negate %s : tensor<8x8xf32>
  %g = smith.gemm %s[0, [8, 1]], %s[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %n, %g : tensor<8x8xf32>, tensor<8x8xf32>
}

// Layer normalisation: two reductions of a row, the second on a value of the
// first, and what follows, in one kernel.
// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x4x8xf32>, %w: tensor<8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: smith.kernel(%arg0, %arg1) domain = [8, 8] reduced = [1]
  // CHECK: stablehlo.reduce{{.*}}dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.subtract
  // CHECK: stablehlo.reduce{{.*}}dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.rsqrt
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
  %d = stablehlo.subtract %x, %sb : tensor<2x4x8xf32>
  %q = stablehlo.multiply %d, %d : tensor<2x4x8xf32>
  %v = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  %r = stablehlo.rsqrt %v : tensor<2x4xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
  %n = stablehlo.multiply %d, %rb : tensor<2x4x8xf32>
  %wb = stablehlo.broadcast_in_dim %w, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
  %y = stablehlo.multiply %n, %wb : tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// Rows of different lengths have loops of their own.
// CHECK-LABEL: @two_row_lengths
func.func @two_row_lengths(%x: tensor<4x8xf32>, %y: tensor<4x16xf32>) -> tensor<4xf32> {
  // CHECK-DAG: domain = [4, 8] reduced = [1]
  // CHECK-DAG: domain = [4, 16] reduced = [1]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %s = stablehlo.add %a, %b : tensor<4xf32>
  return %s : tensor<4xf32>
}

// A broadcast in the middle keeps the dimensions apart: they are not joined.
// CHECK-LABEL: @dimensions_stay
func.func @dimensions_stay(%x: tensor<2x4x8xf32>, %b: tensor<4xf32>) -> tensor<2x4x8xf32> {
  // CHECK: smith.kernel(%arg0, %arg1) domain = [2, 4, 8] reduced = []
  // CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [1] : (tensor<4xf32>) -> tensor<2x4x8xf32>
  %r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4x8xf32>
  %s = stablehlo.add %x, %r : tensor<2x4x8xf32>
  return %s : tensor<2x4x8xf32>
}

// A bias along the last dimension is a row of a kernel that reduces: the outer
// dimensions are joined, and the broadcast follows.
// CHECK-LABEL: @joined_rows
func.func @joined_rows(%x: tensor<2x4x8xf32>, %b: tensor<8xf32>) -> tensor<2x4xf32> {
  // CHECK: domain = [8, 8] reduced = [1]
  // CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
  %s = stablehlo.add %x, %r : tensor<2x4x8xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// What nobody reads is no kernel, nor part of one.
// CHECK-LABEL: @dead
func.func @dead(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: stablehlo.exponential
  // CHECK: stablehlo.negate
  // CHECK-NOT: stablehlo.exponential
  // CHECK: return
  %e = stablehlo.exponential %x : tensor<8xf32>
  %n = stablehlo.negate %x : tensor<8xf32>
  return %n : tensor<8xf32>
}

// Results that are an argument's old value, or a constant, get storage of their
// own; one that stays where it is does not.
// CHECK-LABEL: @returned_arguments
func.func @returned_arguments(
    %p: tensor<2x4xf32> {smith.name = "p", smith.role = "param"},
    %b: tensor<2x4xf32> {smith.name = "b", smith.role = "batch"})
    -> (tensor<2x4xf32> {smith.name = "p", smith.role = "param"},
        tensor<2x4xf32> {smith.name = "o", smith.role = "output"},
        tensor<4xf32> {smith.name = "c", smith.role = "output"}) {
  // CHECK: %[[C:.*]] = stablehlo.constant
  // CHECK: %[[COPY:.*]] = smith.kernel(%arg1) domain = [8] reduced = []
  // CHECK: %[[CONST:.*]] = smith.kernel(%[[C]]) domain = [4] reduced = []
  // CHECK: return %arg0, %[[COPY]], %[[CONST]]
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %p, %b, %c : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
}

// A constant of one value is part of kernels; a table of values is data.
// CHECK-LABEL: @constants
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[
  // CHECK: smith.kernel(
  // CHECK: stablehlo.constant dense<2.000000e+00>
  // CHECK: stablehlo.multiply
  // CHECK: stablehlo.add
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %table = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %m = stablehlo.multiply %x, %two : tensor<4xf32>
  %s = stablehlo.add %m, %table : tensor<4xf32>
  return %s : tensor<4xf32>
}

// An update runs as soon as its gradient is there, before what comes later in
// the program, but after everybody has read the old value.
// CHECK-LABEL: @update_first
func.func @update_first(
    %p: tensor<8x8xf32> {smith.name = "p", smith.role = "param"},
    %x: tensor<8x8xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<8x8xf32> {smith.name = "p", smith.role = "param"},
        tensor<8x8xf32> {smith.name = "o", smith.role = "output"}) {
  // CHECK: %[[READ:.*]] = smith.gemm %arg1[0, [8, 1]], %arg0[0, [8, 1]]
  // CHECK: %[[GRADIENT:.*]] = smith.gemm %[[READ]][0, [8, 1]], %arg1[0, [8, 1]]
  // CHECK: %[[NEW:.*]] = smith.kernel
  // CHECK: stablehlo.subtract
  // CHECK: %[[LATER:.*]] = smith.gemm %[[READ]][0, [8, 1]], %[[READ]][0, [8, 1]]
  // CHECK: return %[[NEW]], %[[LATER]]
  %read = smith.gemm %x[0, [8, 1]], %p[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %gradient = smith.gemm %read[0, [8, 1]], %x[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %later = smith.gemm %read[0, [8, 1]], %read[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %new = stablehlo.subtract %p, %gradient : tensor<8x8xf32>
  return %new, %later : tensor<8x8xf32>, tensor<8x8xf32>
}

// A bit cast to another width changes the shape and is no element op.
// CHECK-LABEL: @bitcasts
func.func @bitcasts(%x: tensor<4xf32>, %y: tensor<4x2xi16>) -> (tensor<4xi32>, tensor<4xi32>) {
  // CHECK: stablehlo.bitcast_convert {{.*}} : (tensor<4x2xi16>) -> tensor<4xi32>
  // CHECK: smith.kernel(%arg0)
  // CHECK: stablehlo.bitcast_convert {{.*}} : (tensor<4xf32>) -> tensor<4xi32>
  %0 = stablehlo.bitcast_convert %y : (tensor<4x2xi16>) -> tensor<4xi32>
  %1 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %1, %0 : tensor<4xi32>, tensor<4xi32>
}

// Gather takes rows by an index that a kernel computes first.
// CHECK-LABEL: @embedding
func.func @embedding(%table: tensor<16x8xf32>, %tokens: tensor<4xi32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: smith.kernel(%arg0, %arg1) domain = [4, 8] reduced = []
  // CHECK: stablehlo.reshape
  // CHECK: "stablehlo.gather"
  // CHECK: stablehlo.multiply
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %i = stablehlo.reshape %tokens : (tensor<4xi32>) -> tensor<4x1xi32>
  %rows = "stablehlo.gather"(%table, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %y = stablehlo.multiply %rows, %rows : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Shapes that differ only in dimensions of size 1 share loops.
// CHECK-LABEL: @units
func.func @units(%x: tensor<8x1x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: smith.kernel(
  // CHECK: stablehlo.exponential
  // CHECK: stablehlo.reshape
  // CHECK: stablehlo.add
  // CHECK-NOT: smith.kernel(
  // CHECK: return
  %e = stablehlo.exponential %x : tensor<8x1x4xf32>
  %r = stablehlo.reshape %e : (tensor<8x1x4xf32>) -> tensor<8x4xf32>
  %s = stablehlo.add %r, %y : tensor<8x4xf32>
  return %s : tensor<8x4xf32>
}

// A constant that a comparator alone reads becomes its own, and no kernel is
// left of it.
// CHECK-LABEL: @constant_of_a_comparator
// CHECK-NOT:   smith.kernel
// CHECK:       "stablehlo.sort"
// CHECK:         stablehlo.constant dense<0.000000e+00>
// CHECK-NOT:   smith.kernel
// CHECK:       return
func.func @constant_of_a_comparator(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %zero, %a : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
