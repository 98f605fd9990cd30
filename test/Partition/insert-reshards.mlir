// RUN: shardsmith-opt %s --insert-reshards -split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Factors i, j, k of the product: only i is split, over x.
// CHECK-LABEL: @conflict
func.func @conflict(
    %lhs: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %rhs: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[L:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
  // CHECK: %[[R:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]>
  // CHECK: %[[D:.*]] = stablehlo.dot_general %[[L]], %[[R]]
  // CHECK-SAME: <@mesh, [{"x"}, {}]>
  // CHECK: return %[[D]]
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] {smith.factor_axes = #smith.factor_axes<[{"x"}, {}, {}]>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Splitting the contracted factor leaves partial sums. They are combined once,
// right after the product, however far the uses are.
// CHECK-LABEL: @partial_sums
func.func @partial_sums(
    %lhs: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %rhs: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK-SAME: <@mesh, [{}, {}], unreduced={"x"}>
  // CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{}, {}, {"x"}]>
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %[[D]] <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: stablehlo.tanh %[[R]]
  // CHECK-NEXT: stablehlo.multiply %[[R]]
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x6xf32>
  %2 = stablehlo.multiply %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// Where both summands are partial, the sum may be, and is combined once.
// CHECK-LABEL: @partial_operands
func.func @partial_operands(
    %lhs: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %rhs: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x6xf32>) {
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK-NEXT: %[[A:.*]] = stablehlo.add %[[D]], %[[D]]
  // CHECK-SAME: unreduced={"x"}
  // CHECK-NEXT: sdy.reshard %[[A]] <@mesh, [{}, {}]>
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.add %0, %0 {smith.factor_axes = #smith.factor_axes<[{}, {}], partial={"x"}>} : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// The second linear set of multiply is its right operand.
// CHECK-LABEL: @second_linear_set
func.func @second_linear_set(
    %lhs: tensor<8x6xf32>,
    %rhs: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>})
    -> tensor<8x6xf32> {
  // CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %arg0, %arg1
  // CHECK-SAME: unreduced={"x"}
  // CHECK-NEXT: sdy.reshard %[[M]] <@mesh, [{}, {}]>
  %0 = stablehlo.multiply %lhs, %rhs {smith.factor_axes = #smith.factor_axes<[{}, {}], partial={"x"} of 1>} : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Constants are made anew in every layout instead of resharded.
// CHECK-LABEL: @constants
func.func @constants(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                     %1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK-DAG: %[[X:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  // CHECK-DAG: %[[Y:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
  // CHECK-NOT: stablehlo.constant
  // CHECK-NOT: sdy.reshard
  // CHECK: stablehlo.add %arg0, %[[X]]
  // CHECK: stablehlo.add %arg1, %[[Y]]
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %2 = stablehlo.add %0, %c : tensor<8xf32>
  %3 = stablehlo.add %1, %c : tensor<8xf32>
  return
}

// CHECK-LABEL: @constraint
func.func @constraint(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]>
  // CHECK-NEXT: stablehlo.tanh %[[R]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = stablehlo.tanh %1 : tensor<8xf32>
  // A constraint that holds already leaves nothing behind.
  // CHECK-NEXT: stablehlo.sine %arg0
  %3 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = stablehlo.sine %3 : tensor<8xf32>
  return
}

// A result annotated otherwise than its factors say is resharded at once.
// CHECK-LABEL: @annotated_result
func.func @annotated_result(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh
  // CHECK-SAME: <@mesh, [{"x"}]>
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %[[T]] <@mesh, [{"y"}]>
  // CHECK-NEXT: stablehlo.sine %[[R]]
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[{"x"}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  %2 = stablehlo.sine %1 : tensor<8xf32>
  return
}

// Ops that no rule describes see whole values, inside their regions, too.
// CHECK-LABEL: @whole
func.func @whole(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<i1>) {
  // CHECK: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK: stablehlo.custom_call @unknown(%[[A]])
  // CHECK: "stablehlo.if"
  // CHECK: stablehlo.return %[[A]]
  %1 = stablehlo.custom_call @unknown(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.if"(%p) ({
    stablehlo.return %0 : tensor<8xf32>
  }, {
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return
}

// A result has the sharding of the argument of the same name.
// CHECK-LABEL: @namesakes
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, smith.name = "w"
func.func @namesakes(%w: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, smith.name = "w", smith.role = "param"})
    -> (tensor<8xf32> {smith.name = "w", smith.role = "param"}) {
  // CHECK-NOT: sdy.reshard
  %0 = stablehlo.tanh %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}
