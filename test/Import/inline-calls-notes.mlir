// RUN: shardsmith-opt %s --inline-calls=note-calls | FileCheck %s
// RUN: shardsmith-opt %s --inline-calls | FileCheck %s --check-prefix=PLAIN

// Ops say which call of @main they come from, those of calls within it too;
// what follows from constants alone does not.
// PLAIN-NOT: smith.call
// CHECK-LABEL: func.func public @main(
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.tanh %{{.*}} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.iota dim = 0 : tensor<8xf32>
  // CHECK-NEXT: stablehlo.negate %{{.*}} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.sine %{{.*}} {smith.call = {callee = "layer", number = 0 : i64}}
  // CHECK-NEXT: stablehlo.add %{{.*}} {smith.call = {callee = "layer", number = 0 : i64}}
  // CHECK-NEXT: stablehlo.sine %{{.*}} {smith.call = {callee = "sine", number = 1 : i64}}
  // CHECK-NEXT: stablehlo.iota
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: stablehlo.sine %{{.*}} {smith.call = {callee = "layer", number = 2 : i64}}
  // CHECK-NEXT: stablehlo.add %{{.*}} {smith.call = {callee = "layer", number = 2 : i64}}
  %0 = stablehlo.tanh %x : tensor<8xf32>
  %1 = call @layer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @sine(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @layer(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @layer(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = call @sine(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @sine(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
