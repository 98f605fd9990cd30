// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%experts: tensor<96xi32>) {
  // expected-error@+1 {{has experts of type 'tensor<96xi32>': expected [samples, rows]}}
  %kept = smith.limit_rows %experts among = 16 capacity = 4 : tensor<96xi32>
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{is in zigzag or says how many positions there are: expected both or neither}}
  %kept = smith.limit_rows %experts among = 16 capacity = 4 zigzag = 2 : tensor<8x12xi32>
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{is in zigzag or says how many positions there are: expected both or neither}}
  %kept = smith.limit_rows %experts among = 16 capacity = 4 positions = 4 : tensor<8x12xi32>
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{is in zigzag over 2 ranks with 12 rows of 6 positions: expected two equal parts per rank, and equally many rows of each position}}
  %kept = smith.limit_rows %experts among = 16 capacity = 4 zigzag = 2 positions = 6 : tensor<8x12xi32>
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{is in zigzag over 2 ranks with 12 rows of 8 positions: expected two equal parts per rank, and equally many rows of each position}}
  %kept = smith.limit_rows %experts among = 16 capacity = 4 zigzag = 2 positions = 8 : tensor<8x12xi32>
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{has experts of type 'tensor<8x12xi32>' and slots of type 'tensor<8x6xi32>': expected [samples, rows] for both}}
  %slots, %ends = smith.place_rows %experts count = 6 : tensor<8x12xi32> -> (tensor<8x6xi32>, tensor<4x8x2xi32>)
  return
}

// -----

func.func @f(%experts: tensor<8x12xi32>) {
  // expected-error@+1 {{has ends of type 'tensor<4x2xi32>': expected [parts, samples, experts of a part] with the samples of the experts, 'tensor<8x12xi32>'}}
  %slots, %ends = smith.place_rows %experts count = 6 : tensor<8x12xi32> -> (tensor<8x12xi32>, tensor<4x2xi32>)
  return
}

// -----

func.func @f(%rows: tensor<8x12x3xf32>, %slots: tensor<8x10xi32>) {
  // expected-error@+1 {{has rows of type 'tensor<8x12x3xf32>' and slots of type 'tensor<8x10xi32>': expected [samples, rows, columns] and [samples, rows]}}
  %packed = smith.pack_rows %rows, %slots : (tensor<8x12x3xf32>, tensor<8x10xi32>) -> tensor<4x8x6x3xf32>
  return
}

// -----

func.func @f(%packed: tensor<4x8x6x5xf32>, %slots: tensor<8x12xi32>) {
  // expected-error@+1 {{has packed rows of type 'tensor<4x8x6x5xf32>': expected [parts, samples, slots, columns] with the samples, columns and elements of the rows, 'tensor<8x12x3xf32>'}}
  %rows = smith.unpack_rows %packed, %slots : (tensor<4x8x6x5xf32>, tensor<8x12xi32>) -> tensor<8x12x3xf32>
  return
}

// -----

sdy.mesh @mesh = <["expert"=4]>
func.func @f(%packed: tensor<4x8x6x3xf32>, %a: tensor<4x8x2xi32>, %b: tensor<1x32x2xi32>) {
  // expected-error@+1 {{exchanges 'tensor<4x8x6x3xf32>' for 'tensor<1x32x5x3xf32>': expected two dimensions of blocks, and equal blocks}}
  %0 = smith.exchange_rows %packed sends %a receives %b over ["expert"] expected = 1 : tensor<4x8x6x3xf32>, tensor<4x8x2xi32>, tensor<1x32x2xi32> -> tensor<1x32x5x3xf32>
  return
}

// -----

sdy.mesh @mesh = <["expert"=4]>
func.func @f(%packed: tensor<4x8x6x3xf32>, %a: tensor<4x8x2xi32>, %b: tensor<1x16x2xi32>) {
  // expected-error@+1 {{exchanges 4 times 8 blocks for 1 times 16 among 4 members: expected as many, an equal number for each}}
  %0 = smith.exchange_rows %packed sends %a receives %b over ["expert"] expected = 1 : tensor<4x8x6x3xf32>, tensor<4x8x2xi32>, tensor<1x16x2xi32> -> tensor<1x16x6x3xf32>
  return
}

// -----

sdy.mesh @mesh = <["expert"=4]>
func.func @f(%packed: tensor<4x8x6x3xf32>, %a: tensor<8x4x2xi32>, %b: tensor<1x32x2xi32>) {
  // expected-error@+1 {{counts rows by 'tensor<8x4x2xi32>' and 'tensor<1x32x2xi32>': expected the dimensions of blocks of operand and result, and one more}}
  %0 = smith.exchange_rows %packed sends %a receives %b over ["expert"] expected = 1 : tensor<4x8x6x3xf32>, tensor<8x4x2xi32>, tensor<1x32x2xi32> -> tensor<1x32x6x3xf32>
  return
}
