// RUN: shardsmith-opt %s --simplify-graph --split-input-file | FileCheck %s

// Positions are clamped so that the slice lies inside.
// CHECK-LABEL: func.func @static_slice(
func.func @static_slice(%x: tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<2x8xf32>) {
  // CHECK: stablehlo.slice %{{.*}} [1:2, 0:8]
  // CHECK: stablehlo.slice %{{.*}} [2:4, 0:8]
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %c1, %c0, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %1 = stablehlo.dynamic_slice %x, %c9, %c0, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return %0, %1 : tensor<1x8xf32>, tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @unknown_position(
func.func @unknown_position(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<1xf32> {
  // CHECK: stablehlo.dynamic_slice
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// CHECK-LABEL: func.func @stack(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<1x4xf32>, %[[B:[a-z0-9]+]]: tensor<1x4xf32>, %[[OLD:[a-z0-9]+]]: tensor<2x4xf32>)
func.func @stack(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>, %old: tensor<2x4xf32>)
    -> (tensor<2x4xf32>, tensor<1x4xf32>, tensor<1x2xf32>, tensor<1x4xf32>) {
  // CHECK-DAG: %[[STACK:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 0
  // CHECK-DAG: %[[PART:.*]] = stablehlo.slice %[[B]] [0:1, 1:3]
  // CHECK-DAG: %[[BELOW:.*]] = stablehlo.slice %[[OLD]] [1:2, 0:4]
  // CHECK: return %[[STACK]], %[[A]], %[[PART]], %[[BELOW]]
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %old, %a, %c0, %c0 : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = stablehlo.dynamic_update_slice %0, %b, %c1, %c0 : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %2 = stablehlo.slice %1 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %3 = stablehlo.slice %1 [1:2, 1:3] : (tensor<2x4xf32>) -> tensor<1x2xf32>
  %4 = stablehlo.slice %0 [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
  return %1, %2, %3, %4 : tensor<2x4xf32>, tensor<1x4xf32>, tensor<1x2xf32>, tensor<1x4xf32>
}

// -----

// Neither a slice across the border of two updates nor a stack with a hole or
// an overlap can be taken from the parts.
// CHECK-LABEL: func.func @not_from_parts(
func.func @not_from_parts(%a: tensor<2xf32>, %old: tensor<5xf32>) -> (tensor<2xf32>, tensor<5xf32>) {
  // CHECK-COUNT-3: stablehlo.dynamic_update_slice
  // CHECK: stablehlo.slice
  // CHECK-NOT: stablehlo.concatenate
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %old, %a, %c0 : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  %1 = stablehlo.dynamic_update_slice %0, %a, %c1 : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  %2 = stablehlo.dynamic_update_slice %1, %a, %c2 : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  %3 = stablehlo.slice %1 [0:2] : (tensor<5xf32>) -> tensor<2xf32>
  return %3, %2 : tensor<2xf32>, tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @parts_of_concatenation(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x4xf32>, %[[B:[a-z0-9]+]]: tensor<3x4xf32>)
func.func @parts_of_concatenation(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<1x4xf32>) {
  // CHECK: %[[LAST:.*]] = stablehlo.slice %[[B]] [2:3, 0:4]
  // CHECK: return %[[B]], %[[LAST]]
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = stablehlo.slice %0 [2:5, 0:4] : (tensor<5x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.slice %0 [4:5, 0:4] : (tensor<5x4xf32>) -> tensor<1x4xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<1x4xf32>
}

// -----

// The layer number as lax.scan over jnp.arange hands it to its body.
// CHECK-LABEL: func.func @element_of_iota(
func.func @element_of_iota(%x: tensor<96x4xf32>) -> tensor<1x4xf32> {
  // CHECK: stablehlo.slice %{{.*}} [7:8, 0:4]
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.iota dim = 0 : tensor<96xi32>
  %1 = stablehlo.slice %0 [7:8] : (tensor<96xi32>) -> tensor<1xi32>
  %2 = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = stablehlo.dynamic_slice %x, %2, %c0, sizes = [1, 4] : (tensor<96x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}
