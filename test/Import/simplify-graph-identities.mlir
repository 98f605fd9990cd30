// RUN: shardsmith-opt %s --simplify-graph --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chains(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6xf32>)
func.func @chains(%x: tensor<4x6xf32>) -> (tensor<2x4x6xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<1x2xf32>, tensor<4x6xf32>) {
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [1, 2]
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[X]]
  // CHECK-NEXT: %[[S:.*]] = stablehlo.slice %[[X]] [2:3, 1:5:2]
  // CHECK-NEXT: return %[[B]], %[[R]], %[[X]], %[[S]], %[[X]]
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x4x6xf32>) -> tensor<2x4x6xf32>
  %2 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x12xf32>) -> tensor<24xf32>
  %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.slice %x [1:3, 1:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %7 = stablehlo.slice %6 [1:2, 0:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %8 = stablehlo.convert %x : tensor<4x6xf32>
  return %1, %3, %5, %7, %8 : tensor<2x4x6xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<1x2xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @selections(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>, %[[P:[a-z0-9]+]]: tensor<4xi1>)
func.func @selections(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: stablehlo.select
  // CHECK: %[[TANH:.*]] = stablehlo.tanh %[[Y]]
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[P]], %[[X]], %[[TANH]]
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<4xi1>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %index = stablehlo.clamp %zero, %seven, %one : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %true, dims = [] : (tensor<i1>) -> tensor<4xi1>
  %1 = stablehlo.select %0, %x, %y : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %false, %x, %y : tensor<4xi1>, tensor<4xf32>
  %3 = stablehlo.and %0, %p : tensor<4xi1>
  %4 = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.maximum %4, %x : tensor<4xf32>
  %6 = "stablehlo.case"(%index) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %7 = stablehlo.tanh %y : tensor<4xf32>
    stablehlo.return %7 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %1, %2, %3, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Neutral elements that are broadcast; 1 / x and 0 - x are no identities.
// CHECK-LABEL: func.func @neutral(
// CHECK-SAME:    %[[X:.*]]: tensor<40xf32>)
func.func @neutral(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  // CHECK: %[[INVERSE:.*]] = stablehlo.divide
  // CHECK: %[[NEGATIVE:.*]] = stablehlo.subtract
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[INVERSE]], %[[NEGATIVE]]
  %c1 = stablehlo.constant dense<1.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.broadcast_in_dim %c1, dims = [] : (tensor<f32>) -> tensor<40xf32>
  %zero = stablehlo.broadcast_in_dim %c0, dims = [] : (tensor<f32>) -> tensor<40xf32>
  %0 = stablehlo.multiply %one, %x : tensor<40xf32>
  %1 = stablehlo.divide %x, %one : tensor<40xf32>
  %2 = stablehlo.subtract %x, %zero : tensor<40xf32>
  %3 = stablehlo.divide %one, %x : tensor<40xf32>
  %4 = stablehlo.subtract %zero, %x : tensor<40xf32>
  return %0, %1, %2, %3, %4 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// -----

// CHECK-LABEL: func.func @small_ops(
func.func @small_ops(%x: tensor<4xf32>, %p: tensor<3x1xi1>) -> (tensor<4xf32>, tensor<3xi1>) {
  // CHECK-DAG: stablehlo.multiply %[[X:.*]], %[[X]]
  // CHECK-DAG: stablehlo.reshape
  // CHECK-NOT: stablehlo.reduce
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.reduce(%p init: %true) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
  return %0, %1 : tensor<4xf32>, tensor<3xi1>
}

// -----

// Nothing large is folded: a trillion elements stay a broadcast.
// CHECK-LABEL: func.func @nothing_large(
func.func @nothing_large() -> tensor<1048576x1048576xf32> {
  // CHECK: stablehlo.broadcast_in_dim
  // CHECK: stablehlo.add
  %cst = stablehlo.constant dense<1.5> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
  %1 = stablehlo.iota dim = 0 : tensor<1048576x1048576xf32>
  %2 = stablehlo.add %0, %1 : tensor<1048576x1048576xf32>
  return %2 : tensor<1048576x1048576xf32>
}

// -----

// CHECK-LABEL: func.func @reduce_along_nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>)
func.func @reduce_along_nothing(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = []
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[B]], %[[X]] : tensor<4xf32>
  // CHECK-NEXT: return %[[SUM]], %[[X]]
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
