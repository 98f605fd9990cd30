// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: shardsmith-interpret %s | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: @main
// CHECK: smith.stop_gradient %{{.*}} : tensor<2x3xf32>
// CHECK: smith.with_derivative @product_vjp of(%{{.*}}, %{{.*}}, %{{.*}}) values(%{{.*}}) : (tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>

// RULE: ([i, j])->([i, j]) {i=2, j=3}

// VALUE: 9
func.func public @main() -> tensor<2x3xf32> {
  %x = stablehlo.constant dense<3.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %0 = smith.stop_gradient %x : tensor<2x3xf32>
  %v = stablehlo.multiply %0, %x : tensor<2x3xf32>
  %1 = smith.with_derivative @product_vjp of(%0, %i, %x) values(%v)
      : (tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
func.func private @product_vjp(%a: tensor<2x3xf32>, %i: tensor<i32>, %b: tensor<2x3xf32>, %g: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.multiply %g, %b : tensor<2x3xf32>
  %1 = stablehlo.multiply %g, %a : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
