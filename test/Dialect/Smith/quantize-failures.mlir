// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{needs a tensor of bf16, f16 or f32, found 'i32'}}
  %0 = smith.quantize %x values = f8E4M3FN : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xbf16>) {
  // expected-error@+1 {{needs a type of values or one of gradients}}
  %0 = smith.quantize %x : tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xbf16>) {
  // expected-error@+1 {{needs a type of values or one of gradients}}
  %0 = smith.quantize %x values = f8E4M3FN gradients = f8E5M2 : tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xbf16>) {
  // expected-error@+1 {{rounds to f8E4M3FN or f8E5M2, found 'f8E4M3'}}
  %0 = smith.quantize %x values = f8E4M3 : tensor<4xbf16>
  return
}
