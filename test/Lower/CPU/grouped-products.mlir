// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
//
// Products of rows with the matrix that each names, and the largest elements of
// rows, are calls of the runtime.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @smith_top_k(%{{.*}}) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
// CHECK: %[[DOT:.*]] = llvm.mlir.addressof @grouped_product_0
// CHECK: llvm.call @smith_grouped_dot_run(%{{.*}}, %[[DOT]], {{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: %[[OUTER:.*]] = llvm.mlir.addressof @grouped_product_1
// CHECK: llvm.call @smith_grouped_outer_run(%{{.*}}, %[[OUTER]], {{.*}})
func.func @main(%scores: tensor<12x4xf32> {smith.name = "scores"},
                %x: tensor<12x8xf32> {smith.name = "x"},
                %w: tensor<4x8x6xf32> {smith.name = "w"})
    -> (tensor<12x6xf32> {smith.name = "y"}, tensor<4x8x6xf32> {smith.name = "d"}) {
  %values, %indices = chlo.top_k(%scores, k = 1) : tensor<12x4xf32> -> (tensor<12x1xf32>, tensor<12x1xi32>)
  %g = stablehlo.reshape %indices : (tensor<12x1xi32>) -> tensor<12xi32>
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x6xf32>
  %d = smith.grouped_outer %x, %g, %y : (tensor<12x8xf32>, tensor<12xi32>, tensor<12x6xf32>) -> tensor<4x8x6xf32>
  return %y, %d : tensor<12x6xf32>, tensor<4x8x6xf32>
}
