// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
//
// Products of rows with the matrix that each names are calls of the runtime.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[DOT:.*]] = llvm.mlir.addressof @grouped_product_0
// CHECK: llvm.call @smith_grouped_dot_run(%{{.*}}, %[[DOT]], {{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: %[[OUTER:.*]] = llvm.mlir.addressof @grouped_product_1
// CHECK: llvm.call @smith_grouped_outer_run(%{{.*}}, %[[OUTER]], {{.*}})
func.func @main(%g: tensor<12xi32> {smith.name = "g"},
                %x: tensor<12x8xf32> {smith.name = "x"},
                %w: tensor<4x8x6xf32> {smith.name = "w"})
    -> (tensor<12x6xf32> {smith.name = "y"}, tensor<4x8x6xf32> {smith.name = "d"}) {
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x6xf32>
  %d = smith.grouped_outer %x, %g, %y : (tensor<12x8xf32>, tensor<12xi32>, tensor<12x6xf32>) -> tensor<4x8x6xf32>
  return %y, %d : tensor<12x6xf32>, tensor<4x8x6xf32>
}
