// RUN: shardsmith-opt %s --lower-dots=target=cuda | FileCheck %s
// RUN: shardsmith-opt %s --lower-dots=target=cpu | FileCheck %s --check-prefix=CPU
//
// What the library of a target adds to products. Processors add onto sums of
// micro-batches alone (lower-dots.mlir).
// CPU-NOT: add_gemm

// A bias and a residual, whichever is first, in whatever shape.
// CHECK-LABEL: @residual_and_bias
// CHECK: %[[SUM:.*]] = stablehlo.reshape %arg3 : (tensor<6x8xbf16>) -> tensor<2x3x8xbf16>
// CHECK-NEXT: %[[Y:.*]] = smith.add_gemm %arg0[0, [4, 1]], %arg1[0, [8, 1]] batch = [] sizes = [6, 8, 4] strides = [8, 1] sum(%[[SUM]] : tensor<2x3x8xbf16>) bias(%arg2 : tensor<8xbf16>)
// CHECK-SAME: : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<2x3x8xbf16>
// CHECK-NEXT: return %[[Y]]
func.func @residual_and_bias(%x: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xbf16>, %residual: tensor<6x8xbf16>) -> tensor<2x3x8xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %1 = stablehlo.add %residual, %0 : tensor<6x8xbf16>
  %2 = stablehlo.reshape %1 : (tensor<6x8xbf16>) -> tensor<2x3x8xbf16>
  %3 = stablehlo.reshape %bias : (tensor<8xbf16>) -> tensor<1x8xbf16>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<1x8xbf16>) -> tensor<2x3x8xbf16>
  %5 = stablehlo.add %2, %4 : tensor<2x3x8xbf16>
  return %5 : tensor<2x3x8xbf16>
}

// Gradients that meet: the later product takes the earlier one.
// CHECK-LABEL: @two_products
// CHECK: %[[A:.*]] = smith.gemm %arg0
// CHECK: smith.add_gemm %arg1{{.*}} sum(%[[A]] : tensor<4x4xf32>)
// CHECK-NOT: stablehlo.add
func.func @two_products(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// What a kernel computes on its way would have to be stored for the product;
// it is stored anyway if it is read twice.
// CHECK-LABEL: @computed
// CHECK: smith.gemm
// CHECK: stablehlo.add
// CHECK: smith.add_gemm {{.*}} sum(%{{.*}} : tensor<4x4xf32>)
func.func @computed(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %once = stablehlo.exponential %x : tensor<4x4xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.add %once, %0 : tensor<4x4xf32>
  %twice = stablehlo.sine %x : tensor<4x4xf32>
  %2 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.add %twice, %2 : tensor<4x4xf32>
  return %1, %3, %twice : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A bias that is converted on its way is left to the kernel that reads the
// sum; it is taken where there is no such kernel.
// CHECK-LABEL: @computed_bias
// CHECK: smith.gemm
// CHECK: stablehlo.tanh
// CHECK-NEXT: %[[BIAS:.*]] = stablehlo.convert
// CHECK: smith.add_gemm {{.*}} bias(%[[BIAS]] : tensor<8xbf16>)
func.func @computed_bias(%x: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xf32>, %other: tensor<8xf32>) -> (tensor<6x8xbf16>, tensor<6x8xbf16>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %1 = stablehlo.convert %bias : (tensor<8xf32>) -> tensor<8xbf16>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xbf16>) -> tensor<6x8xbf16>
  %3 = stablehlo.add %0, %2 : tensor<6x8xbf16>
  %4 = stablehlo.tanh %3 : tensor<6x8xbf16>
  %5 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %6 = stablehlo.convert %other : (tensor<8xf32>) -> tensor<8xbf16>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<8xbf16>) -> tensor<6x8xbf16>
  %8 = stablehlo.add %5, %7 : tensor<6x8xbf16>
  return %4, %8 : tensor<6x8xbf16>, tensor<6x8xbf16>
}

// It is also taken on the way to a residual, which the product adds then.
// CHECK-LABEL: @computed_bias_and_residual
// CHECK: %[[BIAS:.*]] = stablehlo.convert
// CHECK: smith.add_gemm {{.*}} sum(%arg3 : tensor<6x8xbf16>) bias(%[[BIAS]] : tensor<8xbf16>)
// CHECK-NOT: stablehlo.add
func.func @computed_bias_and_residual(%x: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xf32>, %residual: tensor<6x8xbf16>) -> tensor<6x8xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %1 = stablehlo.convert %bias : (tensor<8xf32>) -> tensor<8xbf16>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xbf16>) -> tensor<6x8xbf16>
  %3 = stablehlo.add %0, %2 : tensor<6x8xbf16>
  %4 = stablehlo.add %residual, %3 : tensor<6x8xbf16>
  %5 = stablehlo.tanh %4 : tensor<6x8xbf16>
  return %5 : tensor<6x8xbf16>
}

// Not a bias of the library: along rows, along a transposed result, of one
// element, of f64; and no addition that another reader of the product is
// beside.
// CHECK-LABEL: @not_added
// CHECK-NOT: add_gemm
// CHECK: return
func.func @not_added(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>, %rows: tensor<6xf32>, %columns: tensor<8xf32>, %scalar: tensor<f32>, %d: tensor<6x4xf64>, %e: tensor<4x8xf64>, %bias: tensor<8xf64>)
    -> (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6x8xf64>, tensor<6x8xf32>, tensor<6x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.broadcast_in_dim %rows, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<6x8xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %5 = stablehlo.broadcast_in_dim %columns, dims = [0] : (tensor<8xf32>) -> tensor<8x6xf32>
  %6 = stablehlo.add %4, %5 : tensor<8x6xf32>
  %7 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %8 = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
  %9 = stablehlo.add %7, %8 : tensor<6x8xf32>
  %10 = stablehlo.dot_general %d, %e, contracting_dims = [1] x [0] : (tensor<6x4xf64>, tensor<4x8xf64>) -> tensor<6x8xf64>
  %11 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf64>) -> tensor<6x8xf64>
  %12 = stablehlo.add %10, %11 : tensor<6x8xf64>
  %13 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %14 = stablehlo.add %13, %2 : tensor<6x8xf32>
  return %14, %6, %9, %12, %13, %2 : tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6x8xf64>, tensor<6x8xf32>, tensor<6x8xf32>
}

// The library adds it in front of a GELU, and rounds it for that.
// CHECK-LABEL: @bias_of_gelu
// CHECK: %[[BIAS:.*]] = stablehlo.convert %arg2 : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK: %[[X:.*]] = smith.add_gemm {{.*}} bias(%[[BIAS]] : tensor<8xbf16>) : {{.*}} -> tensor<6x8xbf16>
// CHECK: stablehlo.multiply %[[X]], %[[X]]
func.func @bias_of_gelu(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xf32>) -> tensor<6x8xbf16> {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %b = stablehlo.convert %bias : (tensor<8xf32>) -> tensor<8xbf16>
  %wide = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xbf16>) -> tensor<6x8xbf16>
  %x = stablehlo.add %p, %wide : tensor<6x8xbf16>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xbf16>
  %t1 = stablehlo.multiply %t0, %x : tensor<6x8xbf16>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xbf16>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xbf16>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xbf16>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xbf16>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xbf16>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xbf16>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xbf16>
  return %y : tensor<6x8xbf16>
}

// CHECK-LABEL: @wide_bias_of_gelu
// CHECK: %[[BIAS:.*]] = stablehlo.convert %arg2 : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK: %[[X:.*]] = smith.add_gemm {{.*}} bias(%[[BIAS]] : tensor<8xbf16>) : {{.*}} -> tensor<6x8xbf16>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[X]] : (tensor<6x8xbf16>) -> tensor<6x8xf32>
// CHECK: stablehlo.multiply %[[WIDE]], %[[WIDE]]
// CHECK: stablehlo.add %{{.*}}, %arg3
func.func @wide_bias_of_gelu(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xf32>, %residual: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xf32>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xf32>
  %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %q = stablehlo.convert %p : (tensor<6x8xbf16>) -> tensor<6x8xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
  %x = stablehlo.add %q, %wide : tensor<6x8xf32>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xf32>
  %t1 = stablehlo.multiply %t0, %x : tensor<6x8xf32>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xf32>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xf32>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xf32>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xf32>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xf32>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xf32>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xf32>
  %z = stablehlo.add %x, %residual : tensor<6x8xf32>
  return %y, %z : tensor<6x8xf32>, tensor<6x8xf32>
}

// No GELU follows, so the bias is added in f32 as it was.
// CHECK-LABEL: @wide_bias_of_silu
// CHECK: smith.gemm
// CHECK: stablehlo.add {{.*}} : tensor<6x8xf32>
func.func @wide_bias_of_silu(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<8xf32>) -> tensor<6x8xf32> {
  %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %q = stablehlo.convert %p : (tensor<6x8xbf16>) -> tensor<6x8xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
  %x = stablehlo.add %q, %wide : tensor<6x8xf32>
  %s = stablehlo.logistic %x : tensor<6x8xf32>
  %y = stablehlo.multiply %x, %s : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
