// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s

// Two layers have one function, whatever a plan says of them.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @kernel_0(
// CHECK: llvm.call @kernel_0(
// CHECK: llvm.func internal @kernel_0(
// CHECK-NOT: llvm.func internal @kernel_1(
func.func @main(%x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = stablehlo.tanh %x {smith.unit = 0 : i64, smith.stage = 0 : i64, smith.recompute = "full"} : tensor<32x32xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = stablehlo.tanh %1 {smith.unit = 1 : i64, smith.stage = 1 : i64, smith.recompute = "none"} : tensor<32x32xf32>
  return %1, %2 : tensor<32x32xf32>, tensor<32x32xf32>
}
