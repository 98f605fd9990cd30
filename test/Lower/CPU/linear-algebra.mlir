// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
//
// Matrix factors and triangular systems are calls of the runtime with a
// descriptor each.

// CHECK-DAG: llvm.mlir.global internal constant @cholesky_0
// CHECK-DAG: llvm.mlir.global internal constant @triangular_solve_1
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[WHAT:.+]] = llvm.mlir.addressof @cholesky_0
// CHECK: llvm.call @smith_cholesky_run(%arg0, %[[WHAT]], %{{.*}}, %{{.*}})
// CHECK: %[[HOW:.+]] = llvm.mlir.addressof @triangular_solve_1
// CHECK: llvm.call @smith_triangular_solve_run(%arg0, %[[HOW]], %{{.*}}, %{{.*}}, %{{.*}})
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}
