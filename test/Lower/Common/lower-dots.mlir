// RUN: shardsmith-opt %s --lower-dots | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  // CHECK: smith.gemm %arg0[0, [4, 1]], %arg1[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @transposed_operand
func.func @transposed_operand(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x8xf32> {
  // CHECK: smith.gemm %arg0[0, [4, 1]], %arg1[0, [1, 4]]
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Free dimensions of one operand that lie evenly become one.
// CHECK-LABEL: @joined
func.func @joined(%x: tensor<2x3x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x3x8xf32> {
  // CHECK: batch = [] sizes = [6, 8, 4] strides = [8, 1]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x8xf32>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// Heads of attention: slice, reshape and transpose are strides of one buffer.
// CHECK-LABEL: @heads
func.func @heads(%qkv: tensor<2x5x48xf32>) -> tensor<2x4x5x5xf32> {
  // CHECK: smith.gemm %arg0[0, [240, 4, 48, 1]], %arg0[16, [240, 4, 1, 48]] batch = [2, 4] sizes = [5, 5, 4] strides = [100, 25, 5, 1]
  %q = stablehlo.slice %qkv [0:2, 0:5, 0:16] : (tensor<2x5x48xf32>) -> tensor<2x5x16xf32>
  %k = stablehlo.slice %qkv [0:2, 0:5, 16:32] : (tensor<2x5x48xf32>) -> tensor<2x5x16xf32>
  %qh = stablehlo.reshape %q : (tensor<2x5x16xf32>) -> tensor<2x5x4x4xf32>
  %kh = stablehlo.reshape %k : (tensor<2x5x16xf32>) -> tensor<2x5x4x4xf32>
  %qt = stablehlo.transpose %qh, dims = [0, 2, 1, 3] : (tensor<2x5x4x4xf32>) -> tensor<2x4x5x4xf32>
  %kt = stablehlo.transpose %kh, dims = [0, 2, 1, 3] : (tensor<2x5x4x4xf32>) -> tensor<2x4x5x4xf32>
  %s = stablehlo.dot_general %qt, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x5x4xf32>, tensor<2x4x5x4xf32>) -> tensor<2x4x5x5xf32>
  return %s : tensor<2x4x5x5xf32>
}

// The result is stored as its only reader wants it.
// CHECK-LABEL: @transposed_result
func.func @transposed_result(%a: tensor<2x4x5x5xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32> {
  // CHECK: smith.gemm {{.*}} batch = [2, 4] sizes = [5, 8, 5] strides = [160, 8, 32, 1] {{.*}} -> tensor<2x5x4x8xf32>
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %a, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  return %1 : tensor<2x5x4x8xf32>
}

// Contracting dimensions that do not lie evenly in both operands: one of them
// is rearranged first.
// CHECK-LABEL: @rearranged
func.func @rearranged(%x: tensor<2x3x4xf32>, %y: tensor<4x3x5xf32>) -> tensor<2x5xf32> {
  // CHECK: stablehlo.transpose
  // CHECK: smith.gemm
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] : (tensor<2x3x4xf32>, tensor<4x3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: @element_types
func.func @element_types(%a: tensor<2x4xf64>, %b: tensor<4x2xf64>, %c: tensor<2x4xbf16>, %d: tensor<4x2xbf16>, %e: tensor<2x4xi32>, %f: tensor<4x2xi32>) -> (tensor<2x2xf64>, tensor<2x2xf32>, tensor<2x2xi32>) {
  // CHECK: smith.gemm {{.*}} : (tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
  // CHECK: smith.gemm {{.*}} : (tensor<2x4xbf16>, tensor<4x2xbf16>) -> tensor<2x2xf32>
  // CHECK: stablehlo.dot_general
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x4xbf16>, tensor<4x2xbf16>) -> tensor<2x2xf32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x2xi32>) -> tensor<2x2xi32>
  return %0, %1, %2 : tensor<2x2xf64>, tensor<2x2xf32>, tensor<2x2xi32>
}

// Missing kinds of dimensions have size 1: a matrix times a vector, the product
// of two vectors, and their outer product.
// CHECK-LABEL: @vectors
func.func @vectors(%a: tensor<3x4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<3xf32>, tensor<f32>, tensor<4x4xf32>) {
  // CHECK: smith.gemm %arg0[0, [4, 1]], %arg1[0, [1, 0]] batch = [] sizes = [3, 1, 4] strides = [1, 0]
  // CHECK: smith.gemm %arg1[0, [0, 1]], %arg2[0, [1, 0]] batch = [] sizes = [1, 1, 4] strides = [0, 0]
  // CHECK: smith.gemm %arg1[0, [1, 0]], %arg2[0, [0, 1]] batch = [] sizes = [4, 4, 1] strides = [4, 1]
  %0 = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<f32>, tensor<4x4xf32>
}

// A second contracting dimension that lies evenly in both operands joins the
// first, whatever the order in which the pairs are named.
// CHECK-LABEL: @joined_contraction
func.func @joined_contraction(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) -> tensor<2x5xf32> {
  // CHECK: smith.gemm %arg0[0, [12, 1]], %arg1[0, [5, 1]] batch = [] sizes = [2, 5, 12]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2, 1] x [1, 0] : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Of free dimensions that do not join, the largest is the matrix's; the others
// become batch dimensions in which the other operand stands still.
// CHECK-LABEL: @surplus_free_dimensions
func.func @surplus_free_dimensions(%x: tensor<2x4x7xf32>, %y: tensor<4x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smith.gemm %arg0[0, [28, 1, 7]], %arg1[0, [0, 5, 1]] batch = [2] sizes = [7, 5, 4] strides = [35, 5, 1]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4x7xf32>, tensor<4x5xf32>) -> tensor<2x7x5xf32>
  return %0 : tensor<2x7x5xf32>
}

// Every second column has stride 2: no library reads it, so it is stored first.
// CHECK-LABEL: @strided_slice
func.func @strided_slice(%x: tensor<2x8xf32>, %w: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // CHECK: %[[S:.*]] = stablehlo.slice %arg0 [0:2, 0:8:2]
  // CHECK: smith.gemm %[[S]][0, [4, 1]], %arg1[0, [5, 1]]
  %s = stablehlo.slice %x [0:2, 0:8:2] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Every second row is a stride of 2 rows, from an offset.
// CHECK-LABEL: @strided_rows
func.func @strided_rows(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // CHECK: smith.gemm %arg0[4, [8, 1]], %arg1[0, [5, 1]]
  %s = stablehlo.slice %x [1:6:2, 0:4] : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %0 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Strides cannot say what a reshape makes of two dimensions that were exchanged.
// CHECK-LABEL: @reshape_of_transpose
func.func @reshape_of_transpose(%x: tensor<2x3xf32>, %w: tensor<6x5xf32>) -> tensor<1x5xf32> {
  // CHECK: %[[T:.*]] = stablehlo.transpose %arg0
  // CHECK: %[[R:.*]] = stablehlo.reshape %[[T]]
  // CHECK: smith.gemm %[[R]][0, [0, 1]], %arg1[0, [5, 1]]
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r = stablehlo.reshape %t : (tensor<3x2xf32>) -> tensor<1x6xf32>
  %0 = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<1x6xf32>, tensor<6x5xf32>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}

// Two readers of the result: it is stored as it is, and one of them transposes.
// CHECK-LABEL: @result_read_twice
func.func @result_read_twice(%x: tensor<2x4xf32>, %w: tensor<4x5xf32>) -> (tensor<2x5xf32>, tensor<5x2xf32>) {
  // CHECK: %[[P:.*]] = smith.gemm {{.*}} strides = [5, 1] {{.*}} -> tensor<2x5xf32>
  // CHECK: stablehlo.transpose %[[P]]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>
  return %0, %1 : tensor<2x5xf32>, tensor<5x2xf32>
}

// Five batch dimensions whose order differs in the operands do not join, and
// the library takes four: both operands are arranged alike first.
// CHECK-LABEL: @five_batch_dimensions
func.func @five_batch_dimensions(%x: tensor<2x3x2x3x2x4x5xf32>, %y: tensor<2x3x2x3x2x5x4xf32>) -> tensor<2x3x2x3x2x4x4xf32> {
  // CHECK: %[[X:.*]] = stablehlo.transpose %arg0, dims = [4, 3, 2, 1, 0, 5, 6]
  // CHECK: %[[Y:.*]] = stablehlo.transpose %arg1, dims = [0, 1, 2, 3, 4, 6, 5]
  // CHECK: smith.gemm %[[X]][0, [20, 5, 1]], %[[Y]][0, [20, 1, 5]] batch = [72] sizes = [4, 4, 5] strides = [16, 4, 1]
  %0 = stablehlo.dot_general %x, %y, batching_dims = [4, 3, 2, 1, 0] x [0, 1, 2, 3, 4], contracting_dims = [6] x [5] : (tensor<2x3x2x3x2x4x5xf32>, tensor<2x3x2x3x2x5x4xf32>) -> tensor<2x3x2x3x2x4x4xf32>
  return %0 : tensor<2x3x2x3x2x4x4xf32>
}

// A term of a sum over micro-batches is added where the sum lies, in the sum's
// shape.
// CHECK-LABEL: @onto_sum
// CHECK: %[[SUM:.*]] = smith.add_gemm %arg1[0, [4, 1]], %arg2[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1] sum(%arg0 : tensor<16xf32>)
// CHECK-SAME: : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<16xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @onto_sum(%so_far: tensor<16xf32> {smith.name = "sum.0", smith.role = "state"}, %x: tensor<2x4xf32>, %w: tensor<4x8xf32>)
    -> (tensor<16xf32> {smith.name = "sum.0", smith.role = "state"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x8xf32>) -> tensor<16xf32>
  %2 = stablehlo.add %so_far, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// Not so where the sum is read otherwise, the result replaces nothing, or the
// term is rounded to another type first.
// CHECK-LABEL: @not_onto
// CHECK-NOT: add_gemm
// CHECK: return
func.func @not_onto(%a: tensor<2x8xf32> {smith.name = "a", smith.role = "state"}, %b: tensor<2x8xf32>, %c: tensor<2x8xbf16> {smith.name = "c", smith.role = "state"}, %x: tensor<2x4xf32>, %w: tensor<4x8xf32>, %y: tensor<2x4xbf16>, %v: tensor<4x8xbf16>)
    -> (tensor<2x8xf32> {smith.name = "a", smith.role = "state"}, tensor<2x8xf32>, tensor<2x8xbf16> {smith.name = "c", smith.role = "state"}, tensor<2x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.add %a, %0 : tensor<2x8xf32>
  %2 = stablehlo.negate %a : tensor<2x8xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %4 = stablehlo.add %b, %3 : tensor<2x8xf32>
  %5 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<2x4xbf16>, tensor<4x8xbf16>) -> tensor<2x8xbf16>
  %6 = stablehlo.add %c, %5 : tensor<2x8xbf16>
  return %1, %4, %6, %2 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xbf16>, tensor<2x8xf32>
}
