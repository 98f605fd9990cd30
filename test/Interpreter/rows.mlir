// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: rows.mlir: checks hold (18 of 18)
sdy.mesh @mesh = <["expert"=2]>
func.func public @main(
    %x: tensor<1xi32> {smith.global_shape = array<i64: 2>, smith.limit = 2 : i64, smith.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}]>}) {
  // Two samples of four rows; experts 0 and 1 are in part 0, 2 and 3 in part 1.
  // The last row of sample 1 has no expert.
  %experts = stablehlo.constant dense<[[3, 0, 2, 3], [1, 1, 0, -1]]> : tensor<2x4xi32>
  %slots, %ends = smith.place_rows %experts count = 3 : tensor<2x4xi32> -> (tensor<2x4xi32>, tensor<2x2x2xi32>)
  %where = stablehlo.constant dense<[[4, 0, 3, 5], [1, 2, 0, -1]]> : tensor<2x4xi32>
  stablehlo.custom_call @check.expect_eq(%slots, %where) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
  %until = stablehlo.constant dense<[[[1, 1], [1, 3]], [[1, 3], [0, 0]]]> : tensor<2x2x2xi32>
  stablehlo.custom_call @check.expect_eq(%ends, %until) {has_side_effect = true} : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> ()

  %rows = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]], [[5.0], [6.0], [7.0], [8.0]]]> : tensor<2x4x1xf32>
  %packed = smith.pack_rows %rows, %slots : (tensor<2x4x1xf32>, tensor<2x4xi32>) -> tensor<2x2x3x1xf32>
  %parts = stablehlo.constant dense<[[[[2.0], [0.0], [0.0]], [[7.0], [5.0], [6.0]]], [[[3.0], [1.0], [4.0]], [[0.0], [0.0], [0.0]]]]> : tensor<2x2x3x1xf32>
  stablehlo.custom_call @check.expect_eq(%packed, %parts) {has_side_effect = true} : (tensor<2x2x3x1xf32>, tensor<2x2x3x1xf32>) -> ()
  %back = smith.unpack_rows %packed, %slots : (tensor<2x2x3x1xf32>, tensor<2x4xi32>) -> tensor<2x4x1xf32>
  %again = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]], [[5.0], [6.0], [7.0], [0.0]]]> : tensor<2x4x1xf32>
  stablehlo.custom_call @check.expect_eq(%back, %again) {has_side_effect = true} : (tensor<2x4x1xf32>, tensor<2x4x1xf32>) -> ()

  // An expert takes one row of a sample; more than its slots have no place.
  %kept = smith.limit_rows %experts among = 16 capacity = 1 : tensor<2x4xi32>
  %first = stablehlo.constant dense<[[3, 0, 2, -1], [1, -1, 0, -1]]> : tensor<2x4xi32>
  stablehlo.custom_call @check.expect_eq(%kept, %first) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
  // What is no expert is never too much.
  %odd = stablehlo.constant dense<[[-2, -2, 1, 1]]> : tensor<1x4xi32>
  %rest = smith.limit_rows %odd among = 16 capacity = 1 : tensor<1x4xi32>
  %same = stablehlo.constant dense<[[-2, -2, 1, -1]]> : tensor<1x4xi32>
  stablehlo.custom_call @check.expect_eq(%rest, %same) {has_side_effect = true} : (tensor<1x4xi32>, tensor<1x4xi32>) -> ()

  // Of the four positions rank 0 has the first and the last one, with two rows
  // each, and rank 1 the others: rows 0, 1, 6, 7, 2, 3, 4, 5 of the sequence.
  %dealt = stablehlo.constant dense<[[3, 0, 3, 1, 3, 0, 2, 1]]> : tensor<1x8xi32>
  %two = smith.limit_rows %dealt among = 16 capacity = 1 zigzag = 2 positions = 4 : tensor<1x8xi32>
  %earliest = stablehlo.constant dense<[[3, 0, -1, -1, -1, -1, 2, 1]]> : tensor<1x8xi32>
  stablehlo.custom_call @check.expect_eq(%two, %earliest) {has_side_effect = true} : (tensor<1x8xi32>, tensor<1x8xi32>) -> ()

  // Both devices have the same, so each gets part i twice.
  %there = smith.all_to_all %ends over ["expert"] split_dim = 0 concat_dim = 1 : tensor<2x2x2xi32> -> tensor<1x4x2xi32>
  %dirt = stablehlo.constant dense<9.0> : tensor<2x2x3x1xf32>
  %mine = smith.exchange_rows %dirt sends %ends receives %there over ["expert"] expected = 8 : tensor<2x2x3x1xf32>, tensor<2x2x2xi32>, tensor<1x4x2xi32> -> tensor<1x4x3x1xf32>
  %used = smith.exchange_rows %mine sends %there receives %ends over ["expert"] expected = 8 : tensor<1x4x3x1xf32>, tensor<1x4x2xi32>, tensor<2x2x2xi32> -> tensor<2x2x3x1xf32>
  %nines = stablehlo.constant dense<[[[[9.0], [0.0], [0.0]], [[9.0], [9.0], [9.0]]], [[[9.0], [9.0], [9.0]], [[0.0], [0.0], [0.0]]]]> : tensor<2x2x3x1xf32>
  stablehlo.custom_call @check.expect_eq(%used, %nines) {has_side_effect = true} : (tensor<2x2x3x1xf32>, tensor<2x2x3x1xf32>) -> ()
  %whole = smith.all_gather %mine over ["expert"] dim = 0 : tensor<1x4x3x1xf32> -> tensor<2x4x3x1xf32>
  %twice = stablehlo.concatenate %nines, %nines, dim = 1 : (tensor<2x2x3x1xf32>, tensor<2x2x3x1xf32>) -> tensor<2x4x3x1xf32>
  stablehlo.custom_call @check.expect_eq(%whole, %twice) {has_side_effect = true} : (tensor<2x4x3x1xf32>, tensor<2x4x3x1xf32>) -> ()
  return
}
