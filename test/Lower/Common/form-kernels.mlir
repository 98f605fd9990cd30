// RUN: shardsmith-opt %s --form-kernels | FileCheck %s

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
