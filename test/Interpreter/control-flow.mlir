// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: control-flow.mlir: checks hold (5 of 5)
func.func public @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>

  // Sum of 0…9.
  %loop:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
   cond {
    %less = stablehlo.compare LT, %i, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %total = stablehlo.add %sum, %i : tensor<i32>
    stablehlo.return %next, %total : tensor<i32>, tensor<i32>
  }
  %expected_sum = stablehlo.constant dense<45> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%loop#1, %expected_sum) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  %true = stablehlo.constant dense<true> : tensor<i1>
  %if = "stablehlo.if"(%true) ({
    stablehlo.return %ten : tensor<i32>
  }, {
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  stablehlo.custom_call @check.expect_eq(%if, %ten) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  // An index out of range runs the last branch.
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %case = "stablehlo.case"(%minus) ({
    stablehlo.return %ten : tensor<i32>
  }, {
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  stablehlo.custom_call @check.expect_eq(%case, %one) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  %called = call @twice(%ten) : (tensor<i32>) -> tensor<i32>
  %composite = stablehlo.composite "test.twice" %ten {decomposition = @twice} : (tensor<i32>) -> tensor<i32>
  %twenty = stablehlo.constant dense<20> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%called, %twenty) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @check.expect_eq(%composite, %twenty) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return
}

func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.add %x, %x : tensor<i32>
  return %y : tensor<i32>
}
