// RUN: shardsmith-opt %s --lower-dots=target=cuda --form-kernels=target=cuda --find-epilogues=target=cuda | FileCheck %s
// RUN: shardsmith-opt %s --lower-dots --form-kernels --find-epilogues | FileCheck %s --check-prefix=CPU
// RUN: shardsmith-opt %s --lower-dots=target=cuda --form-kernels=target=cuda --collapse-kernels --find-epilogues=target=cuda | FileCheck %s
// CPU-NOT: smith.gelu

// The kernel comes behind its product, whatever was between the two.
// CHECK-LABEL: @as_jax_writes
// CHECK: %[[X:.*]] = smith.gemm
// CHECK-NEXT: smith.kernel(%[[X]]) {{.*}}smith.gelu
// CHECK: smith.kernel(%arg2)
// CHECK-NOT: smith.gelu
func.func @as_jax_writes(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>, %other: tensor<5xbf16>) -> (tensor<6x8xbf16>, tensor<5xbf16>) {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %z = stablehlo.exponential %other : tensor<5xbf16>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xbf16>
  %t1 = stablehlo.multiply %t0, %x : tensor<6x8xbf16>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xbf16>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xbf16>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xbf16>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xbf16>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xbf16>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xbf16>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xbf16>
  return %y, %z : tensor<6x8xbf16>, tensor<5xbf16>
}

// x · sigmoid(2 c(x)) is the same function.
// CHECK-LABEL: @as_sigmoid
// CHECK: %[[X:.*]] = smith.gemm
// CHECK-NEXT: smith.kernel(%[[X]]) {{.*}}smith.gelu
func.func @as_sigmoid(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xbf16> {
  %c3 = stablehlo.constant dense<0.0356774> : tensor<6x8xf32>
  %c1 = stablehlo.constant dense<0.797884583> : tensor<6x8xf32>
  %two = stablehlo.constant dense<2.0> : tensor<6x8xf32>
  %three = stablehlo.constant dense<3.0> : tensor<6x8xf32>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %u = stablehlo.convert %x : (tensor<6x8xbf16>) -> tensor<6x8xf32>
  %t0 = stablehlo.power %u, %three : tensor<6x8xf32>
  %t1 = stablehlo.multiply %t0, %c3 : tensor<6x8xf32>
  %t2 = stablehlo.multiply %u, %c1 : tensor<6x8xf32>
  %t3 = stablehlo.negate %t1 : tensor<6x8xf32>
  %t4 = stablehlo.subtract %t2, %t3 : tensor<6x8xf32>
  %t5 = stablehlo.multiply %t4, %two : tensor<6x8xf32>
  %t6 = stablehlo.logistic %t5 : tensor<6x8xf32>
  %t7 = stablehlo.multiply %u, %t6 : tensor<6x8xf32>
  %y = stablehlo.convert %t7 : (tensor<6x8xf32>) -> tensor<6x8xbf16>
  return %y : tensor<6x8xbf16>
}

// So is not x · sigmoid(1.702 x).
// CHECK-LABEL: @quick
// CHECK-NOT: smith.gelu
func.func @quick(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xbf16> {
  %by = stablehlo.constant dense<1.702> : tensor<6x8xbf16>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %t0 = stablehlo.multiply %x, %by : tensor<6x8xbf16>
  %t1 = stablehlo.logistic %t0 : tensor<6x8xbf16>
  %y = stablehlo.multiply %x, %t1 : tensor<6x8xbf16>
  return %y : tensor<6x8xbf16>
}

// Nor what has another constant, or another power.
// CHECK-LABEL: @other_constant
// CHECK-NOT: smith.gelu
func.func @other_constant(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xbf16> {
  %cubic = stablehlo.constant dense<0.05> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
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

// CHECK-LABEL: @other_power
// CHECK-NOT: smith.gelu
func.func @other_power(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xbf16> {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xbf16>
  %t1 = stablehlo.multiply %t0, %t0 : tensor<6x8xbf16>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xbf16>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xbf16>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xbf16>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xbf16>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xbf16>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xbf16>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xbf16>
  return %y : tensor<6x8xbf16>
}

// The kernel computes something else as well.
// CHECK-LABEL: @two_results
// CHECK-NOT: smith.gelu
func.func @two_results(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> (tensor<6x8xbf16>, tensor<6x8xbf16>) {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xbf16>
  %t1 = stablehlo.multiply %t0, %x : tensor<6x8xbf16>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xbf16>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xbf16>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xbf16>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xbf16>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xbf16>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xbf16>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xbf16>
  return %y, %t5 : tensor<6x8xbf16>, tensor<6x8xbf16>
}

// The library is not asked for results of 32 bits.
// CHECK-LABEL: @wide
// CHECK-NOT: smith.gelu
func.func @wide(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xf32> {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xf32>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xf32>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xf32>
  %t0 = stablehlo.multiply %x, %x : tensor<6x8xf32>
  %t1 = stablehlo.multiply %t0, %x : tensor<6x8xf32>
  %t2 = stablehlo.multiply %t1, %cubic : tensor<6x8xf32>
  %t3 = stablehlo.add %x, %t2 : tensor<6x8xf32>
  %t4 = stablehlo.multiply %t3, %scale : tensor<6x8xf32>
  %t5 = stablehlo.tanh %t4 : tensor<6x8xf32>
  %t6 = stablehlo.add %t5, %one : tensor<6x8xf32>
  %t7 = stablehlo.multiply %x, %half : tensor<6x8xf32>
  %y = stablehlo.multiply %t7, %t6 : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// The elements are in another order.
// CHECK-LABEL: @reversed
// CHECK-NOT: smith.gelu
func.func @reversed(%a: tensor<6x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<6x8xbf16> {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
  %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<6x4xbf16>, tensor<4x8xbf16>) -> tensor<6x8xbf16>
  %x = stablehlo.reverse %p, dims = [1] : tensor<6x8xbf16>
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

// What it is of is no product.
// CHECK-LABEL: @no_product
// CHECK-NOT: smith.gelu
func.func @no_product(%x: tensor<6x8xbf16>) -> tensor<6x8xbf16> {
  %cubic = stablehlo.constant dense<0.044715> : tensor<6x8xbf16>
  %scale = stablehlo.constant dense<0.797884583> : tensor<6x8xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<6x8xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<6x8xbf16>
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
