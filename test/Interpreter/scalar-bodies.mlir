// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Regions that no kernel knows are called scalar by scalar.

// CHECK: scalar-bodies.mlir: checks hold (9 of 9)
func.func public @main() {
  %values = stablehlo.constant dense<[[3, 9, 2], [7, 1, 7]]> : tensor<2x3xi32>
  %columns = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %lowest = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>

  // Maximum and where it is first, per row.
  %max:2 = stablehlo.reduce(%values init: %lowest), (%columns init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%va: tensor<i32>, %vb: tensor<i32>) (%ia: tensor<i32>, %ib: tensor<i32>)  {
    %above = stablehlo.compare GE, %va, %vb, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %above, %va, %vb : tensor<i1>, tensor<i32>
    %i = stablehlo.select %above, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %v, %i : tensor<i32>, tensor<i32>
  }
  %expected_max = stablehlo.constant dense<[9, 7]> : tensor<2xi32>
  %expected_where = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%max#0, %expected_max) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  stablehlo.custom_call @check.expect_eq(%max#1, %expected_where) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  %map = "stablehlo.map"(%values, %columns) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %double = stablehlo.add %a, %a : tensor<i32>
    %r = stablehlo.subtract %double, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %expected_map = stablehlo.constant dense<[[6, 17, 2], [14, 1, 12]]> : tensor<2x3xi32>
  stablehlo.custom_call @check.expect_eq(%map, %expected_map) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()

  // Sorted by the first tensor, descending; equal keys keep their order.
  %sorted:2 = "stablehlo.sort"(%values, %columns) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %gt = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %gt : tensor<i1>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  %expected_values = stablehlo.constant dense<[[9, 3, 2], [7, 7, 1]]> : tensor<2x3xi32>
  %expected_order = stablehlo.constant dense<[[1, 0, 2], [0, 2, 1]]> : tensor<2x3xi32>
  stablehlo.custom_call @check.expect_eq(%sorted#0, %expected_values) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
  stablehlo.custom_call @check.expect_eq(%sorted#1, %expected_order) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()

  // The body halves what is there and adds the update; index 5 falls outside.
  %into = stablehlo.constant dense<[8, 8, 8]> : tensor<3xi32>
  %at = stablehlo.constant dense<[[1], [5], [1]]> : tensor<3x1xi32>
  %updates = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %scatter = "stablehlo.scatter"(%into, %at, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %half = stablehlo.divide %a, %two : tensor<i32>
    %r = stablehlo.add %half, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
  %expected_scatter = stablehlo.constant dense<[8, 37, 8]> : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%scatter, %expected_scatter) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()

  // Windows of two, base dilated by two, one element of padding in front:
  // padding, 1, hole, 2, hole, 3. Padding and holes are the initial value.
  %line = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %window = "stablehlo.reduce_window"(%line, %one) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    %r = stablehlo.add %s, %zero : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %same = "stablehlo.reduce_window"(%line, %one) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %expected_window = stablehlo.constant dense<[3, 3, 4, 4, 5]> : tensor<5xi32>
  stablehlo.custom_call @check.expect_eq(%window, %expected_window) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
  stablehlo.custom_call @check.expect_eq(%same, %expected_window) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()

  // Each window's source goes to the window's first maximum.
  %operand = stablehlo.constant dense<[1, 5, 5, 2]> : tensor<4xi32>
  %source = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %selected = "stablehlo.select_and_scatter"(%operand, %source, %zero) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ge = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %ge : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %expected_selected = stablehlo.constant dense<[0, 30, 30, 0]> : tensor<4xi32>
  stablehlo.custom_call @check.expect_eq(%selected, %expected_selected) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
  return
}
