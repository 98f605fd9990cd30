// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @no_iteration() {
  // expected-error@+1 {{attribute 'count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %i = smith.loop_index loop 0 of 0 : tensor<i32>
  return
}

// -----

func.func @other_value(%x: tensor<2xf32>) {
  // expected-error@+1 {{is for a value that is not the result of a 'smith.loop_carry' of loop 0 of 4}}
  %0 = smith.loop_next %x for %x loop 0 of 4 : tensor<2xf32>
  return
}

// -----

func.func @other_loop(%x: tensor<2xf32>) {
  %c = smith.loop_carry %x loop 1 of 4 number = 0 : tensor<2xf32>
  // expected-error@+1 {{is for a value that is not the result of a 'smith.loop_carry' of loop 0 of 4}}
  %0 = smith.loop_next %x for %c loop 0 of 4 : tensor<2xf32>
  return
}

// -----

func.func @twice(%x: tensor<2xf32>) {
  %c = smith.loop_carry %x loop 0 of 4 number = 0 : tensor<2xf32>
  // expected-error@+1 {{is for a value that another 'smith.loop_next' is for}}
  %0 = smith.loop_next %x for %c loop 0 of 4 : tensor<2xf32>
  %1 = smith.loop_next %c for %c loop 0 of 4 : tensor<2xf32>
  return
}

// -----

func.func @slice(%x: tensor<3x2xf32>) {
  // expected-error@+1 {{stacks 4 values of type 'tensor<2xf32>' as 'tensor<3x2xf32>': expected 'tensor<4x2xf32>'}}
  %0 = smith.loop_slice %x loop 0 of 4 : tensor<3x2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @stack(%x: tensor<2xf32>) {
  // expected-error@+1 {{stacks 4 values of type 'tensor<2xf32>' as 'tensor<4x2xi32>': expected 'tensor<4x2xf32>'}}
  %0 = smith.loop_stack %x loop 0 of 4 : tensor<2xf32> -> tensor<4x2xi32>
  return
}

// -----

func.func @no_next(%x: tensor<2xf32>) {
  // expected-error@+1 {{has no 'smith.loop_next' that says what the next iteration gets}}
  %c = smith.loop_carry %x loop 0 of 4 number = 0 : tensor<2xf32>
  return
}

// -----

func.func @decides_by_a_number(%x: tensor<i32>) {
  %c = smith.loop_carry %x loop 0 of 4 number = 0 : tensor<i32>
  // expected-error@+1 {{decides a loop by a 'tensor<i32>': expected a tensor<i1>}}
  %0 = smith.loop_next %x for %c decides loop 0 of 4 : tensor<i32>
  return
}

// -----

func.func @decides_by_many(%x: tensor<2xi1>) {
  %c = smith.loop_carry %x loop 0 of 4 number = 0 : tensor<2xi1>
  // expected-error@+1 {{decides a loop by a 'tensor<2xi1>': expected a tensor<i1>}}
  %0 = smith.loop_next %x for %c decides loop 0 of 4 : tensor<2xi1>
  return
}

// -----

func.func @more_than_a_branch(%x: tensor<i1>) {
  %c = smith.loop_carry %x loop 0 of 1 number = 0 : tensor<i1>
  // expected-error@+1 {{decides a loop of 1, a branch, by another value than the constant false}}
  %0 = smith.loop_next %x for %c decides loop 0 of 1 : tensor<i1>
  return
}

// -----

func.func @a_number_of_no_loop(%x: tensor<i32>) {
  // expected-error@+1 {{attribute 'loop' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative whose maximum value is 2147483647}}
  %0 = smith.loop_enter %x loop 9223372036854775807 of 4 : tensor<i32>
  return
}
