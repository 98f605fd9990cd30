// RUN: shardsmith-opt %s --outline-micro-batches -split-input-file \
// RUN:   -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %i = smith.micro_batch_index of 2 : tensor<i32>
  // expected-error@+1 {{is the value of one micro-batch, but 'func.return' reads it as that of the step; accumulate it before}}
  %0 = stablehlo.multiply %i, %x : tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @main() -> tensor<i32> {
  %i = smith.micro_batch_index of 2 : tensor<i32>
  // expected-note@+1 {{which is this one}}
  %0 = smith.accumulate %i kind = sum : tensor<i32>
  // expected-error@+1 {{is done once per micro-batch, but reads a value that is known after all of them}}
  %1 = stablehlo.multiply %i, %0 : tensor<i32>
  %2 = smith.accumulate %1 kind = sum : tensor<i32>
  return %2 : tensor<i32>
}

// -----

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %i = smith.micro_batch_index of 2 : tensor<i32>
  %0 = smith.accumulate %i kind = sum : tensor<i32>
  // expected-note@+1 {{which is this one}}
  %1 = stablehlo.multiply %0, %x : tensor<i32>
  // expected-error@+1 {{is done once per micro-batch, but reads a value}}
  %2 = smith.accumulate %1 kind = sum : tensor<i32>
  return %2 : tensor<i32>
}
