// RUN: shardsmith-opt %s --inline-calls --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Where calls have names the place of an op names those that lead to it, else it
// is that of the op.
// CHECK-LABEL: func.func public @main(
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.sine {{.*}} loc(callsite(callsite("sine" at "inner") at "first"))
  // CHECK: stablehlo.add {{.*}} loc(callsite("add" at "first"))
  %0 = call @twice(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("first")
  // CHECK: stablehlo.sine {{.*}} loc(callsite("sine" at "inner"))
  // CHECK: stablehlo.add {{.*}} loc("add")
  %1 = call @twice(%0) : (tensor<8xf32>) -> tensor<8xf32> loc("calls.py":7:3)
  return %1 : tensor<8xf32>
}
func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @sine(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("inner")
  %1 = stablehlo.add %0, %x : tensor<8xf32> loc("add")
  return %1 : tensor<8xf32>
}
func.func private @sine(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32> loc("sine")
  return %0 : tensor<8xf32>
}
