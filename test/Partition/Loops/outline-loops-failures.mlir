// RUN: shardsmith-opt %s --outline-loops -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @main() -> tensor<i32> {
  %i = smith.loop_index loop 0 of 2 : tensor<i32>
  // expected-error@+1 {{returns the value of one iteration of a loop; use 'smith.loop_next' or 'smith.loop_stack' before}}
  return %i : tensor<i32>
}

// -----

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{is in a loop that reads a value which is known after it only}}
  %c = smith.loop_carry %x loop 0 of 2 number = 0 : tensor<i32>
  %d = smith.loop_carry %x loop 0 of 2 number = 1 : tensor<i32>
  %0 = smith.loop_next %c for %d loop 0 of 2 : tensor<i32>
  %1 = stablehlo.negate %0 : tensor<i32>
  %2 = stablehlo.add %1, %c : tensor<i32>
  %3 = smith.loop_next %2 for %c loop 0 of 2 : tensor<i32>
  return %3 : tensor<i32>
}

// -----

func.func @main() -> tensor<3xi32> {
  %i = smith.loop_index loop 0 of 2 : tensor<i32>
  // expected-error@+1 {{says that loop 0 has 3 iterations, which has 2 by an op before}}
  %0 = smith.loop_stack %i loop 0 of 3 : tensor<i32> -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %c = smith.loop_carry %x loop 0 of 2 number = 1 : tensor<i32>
  // expected-error@+1 {{has the number 1 of another value that goes around loop 0}}
  %d = smith.loop_carry %x loop 0 of 2 number = 1 : tensor<i32>
  %0 = smith.loop_next %d for %c loop 0 of 2 : tensor<i32>
  %1 = smith.loop_next %c for %d loop 0 of 2 : tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}

// -----

func.func @main(%x: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %c = smith.loop_carry %x loop 0 of 32 number = 0 : tensor<i1>
  %d = smith.loop_carry %x loop 0 of 32 number = 1 : tensor<i1>
  %0 = smith.loop_next %d for %c decides loop 0 of 32 : tensor<i1>
  // expected-error@+1 {{decides loop 0, which another value decides}}
  %1 = smith.loop_next %c for %d decides loop 0 of 32 : tensor<i1>
  return %0, %1 : tensor<i1>, tensor<i1>
}

// -----

func.func @main(%x: tensor<i1>) -> tensor<32xi1> {
  %c = smith.loop_carry %x loop 0 of 32 number = 0 : tensor<i1>
  %n = stablehlo.not %c : tensor<i1>
  %0 = smith.loop_next %n for %c decides loop 0 of 32 : tensor<i1>
  // expected-error@+1 {{has one element per iteration of loop 0, of which nobody knows how many there are}}
  %1 = smith.loop_stack %n loop 0 of 32 : tensor<i1> -> tensor<32xi1>
  return %1 : tensor<32xi1>
}
