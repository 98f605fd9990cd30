// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cuda}))' | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cpu}))' | FileCheck %s --check-prefix=CPU
//
// A block of threads sorts 2048 elements of a line; longer lines are merged.

// CHECK-LABEL: @long
// CHECK: %[[A:.*]]:2 = smith.sort_runs(%arg0, %arg1) dimension = 1 from = 1 to = 2048
// CHECK: stablehlo.compare GT
// CHECK: %[[B:.*]]:2 = smith.sort_runs(%[[A]]#0, %[[A]]#1) dimension = 1 from = 2048 to = 4096
// CHECK: %[[C:.*]]:2 = smith.sort_runs(%[[B]]#0, %[[B]]#1) dimension = 1 from = 4096 to = 8192
// CHECK: stablehlo.compare GT
// CHECK: return %[[C]]#1
// CPU-LABEL: @long
// CPU-NOT: smith.sort_runs
func.func @long(%x: tensor<2x4097xf32>, %i: tensor<2x4097xi32>) -> tensor<2x4097xi32> {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = -1 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x4097xf32>, tensor<2x4097xi32>) -> (tensor<2x4097xf32>, tensor<2x4097xi32>)
  return %0#1 : tensor<2x4097xi32>
}

// CHECK-LABEL: @short
// CHECK-NOT: smith.sort_runs
// CHECK: "stablehlo.sort"
func.func @short(%x: tensor<4097x2048xf32>) -> tensor<4097x2048xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4097x2048xf32>) -> tensor<4097x2048xf32>
  return %0 : tensor<4097x2048xf32>
}

// Elements whose order needs more than 32 bits are sorted, of others a warp
// finds the largest.
// CHECK-LABEL: @largest
// CHECK: "stablehlo.sort"(%arg0, %{{.*}})
// CHECK: stablehlo.slice
// CHECK: chlo.top_k(%arg1
// CPU-LABEL: @largest
// CPU-NOT: chlo.top_k
func.func @largest(%x: tensor<4x8xf64>, %y: tensor<4x8xf32>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4x8xf64> -> (tensor<4x2xf64>, tensor<4x2xi32>)
  %1:2 = chlo.top_k(%y, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#1, %1#1 : tensor<4x2xi32>, tensor<4x2xi32>
}
