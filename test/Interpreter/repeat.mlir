// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: repeat.mlir: checks hold (12 of 12)

// Every call gets its number, the shared values and what the call before has
// returned: 0·10 + 1·10 + 2·10 + 3·10, and 2⁴.
sdy.mesh @mesh = <["x"=2]>

func.func public @main() -> (tensor<i32> {smith.name = "sum", smith.global_shape = array<i64>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = smith.repeat @body count = 4 with(%ten) carry(%zero, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %sixty = stablehlo.constant dense<60> : tensor<i32>
  %sixteen = stablehlo.constant dense<16> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%0#0, %sixty) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @check.expect_eq(%0#1, %sixteen) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  // Devices are at the same micro-batch at a time: 0·2 + 1·2 + 2·2 of both.
  %1 = smith.repeat @exchanging count = 3 with() carry(%zero) : (tensor<i32>) -> tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%1, %six) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  // As long as the last value is true: 1, 2, 4, 8, 16; never, if it is false.
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %2:2 = smith.repeat @doubling count = 1 while 1 with(%ten) carry(%one, %true) : (tensor<i32>, tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i1>)
  stablehlo.custom_call @check.expect_eq(%2#0, %sixteen) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %3:2 = smith.repeat @doubling count = 9 while 1 with(%ten) carry(%one, %false) : (tensor<i32>, tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i1>)
  stablehlo.custom_call @check.expect_eq(%3#0, %one) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  // Each device by itself: the second one begins closer to the end.
  %device = smith.shard_index over ["x"] : tensor<i32>
  %begin = stablehlo.add %one, %device : tensor<i32>
  %4:2 = smith.repeat @doubling count = 9 while 1 with(%ten) carry(%begin, %true) : (tensor<i32>, tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i1>)
  stablehlo.custom_call @check.expect_eq(%4#0, %sixteen) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return %1 : tensor<i32>
}

func.func private @doubling(%i: tensor<i32>, %most: tensor<i32>, %x: tensor<i32>, %go: tensor<i1>) -> (tensor<i32>, tensor<i1>) {
  %0 = stablehlo.add %x, %x : tensor<i32>
  %1 = stablehlo.compare LT, %0, %most, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0, %1 : tensor<i32>, tensor<i1>
}

func.func private @body(%i: tensor<i32>, %x: tensor<i32>, %sum: tensor<i32>, %power: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.multiply %i, %x : tensor<i32>
  %1 = stablehlo.add %sum, %0 : tensor<i32>
  %2 = stablehlo.add %power, %power : tensor<i32>
  return %1, %2 : tensor<i32>, tensor<i32>
}

func.func private @exchanging(%i: tensor<i32>, %sum: tensor<i32>) -> tensor<i32> {
  %0 = smith.all_reduce %i over ["x"] kind = sum : tensor<i32>
  %1 = stablehlo.add %sum, %0 : tensor<i32>
  return %1 : tensor<i32>
}
