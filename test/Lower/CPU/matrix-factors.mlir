// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
//
// Factors are a call of the runtime each; the third result of smith.lu has an
// address too.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[QR:.+]] = llvm.mlir.addressof @matrix_factors_0
// CHECK: %[[NONE:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @smith_matrix_factors_run(%arg0, %[[QR]], %{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]])
// CHECK: %[[LU:.+]] = llvm.mlir.addressof @matrix_factors_1
// CHECK-NOT: llvm.mlir.zero
// CHECK: llvm.call @smith_matrix_factors_run(%arg0, %[[LU]]
func.func @main(%a: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x4xi32>) {
  %q, %r = smith.qr %a : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x3xf32>)
  %f, %p, %o = smith.lu %q : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2x4xi32>)
  return %q, %f, %o : tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x4xi32>
}
