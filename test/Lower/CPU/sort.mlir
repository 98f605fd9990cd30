// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// A comparator becomes a function of two positions; the runtime sorts with it.

// CHECK: llvm.mlir.global internal constant @sort_0_lines
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[LINES:.+]] = llvm.mlir.addressof @sort_0_lines
// CHECK: %[[BEFORE:.+]] = llvm.mlir.addressof @sort_0 :
// CHECK: llvm.call @smith_sort_run(%arg0, %[[LINES]], %[[BEFORE]],
// CHECK-LABEL: llvm.func internal @sort_0(
// CHECK-SAME: i64, %{{.*}}: i64) -> i32
// CHECK: %[[A:.+]] = llvm.load {{.*}} -> f32
// CHECK: %[[B:.+]] = llvm.load {{.*}} -> f32
// CHECK: %[[LESS:.+]] = arith.cmpf olt, %[[A]], %[[B]] : f32
// CHECK: %[[ANSWER:.+]] = arith.extui %[[LESS]] : i1 to i32
// CHECK: llvm.return %[[ANSWER]]
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
}

// -----

// The largest elements are the first ones of a sort of values with positions.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @smith_sort_run
// CHECK-LABEL: llvm.func internal @sort_0(
// CHECK: %[[MORE:.+]] = arith.cmpf ogt
// CHECK: %[[ISNAN:.+]] = arith.cmpf une
// CHECK: %[[ISNUMBER:.+]] = arith.cmpf oeq
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}
