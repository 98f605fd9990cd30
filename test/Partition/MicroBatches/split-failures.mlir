// RUN: shardsmith-opt %s --split-micro-batches=count=2 -split-input-file \
// RUN:   -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

// expected-error@+1 {{argument 1 has a batch of 5, which does not divide into 2 micro-batches; use a divisor of it}}
func.func @main(
    %w: tensor<f32> {smith.role = "param", smith.name = "w"},
    %x: tensor<3x5xf32> {smith.role = "batch", smith.name = "x", smith.batch_dim = 1 : i64}) {
  return
}

// -----

// Batch normalisation: the mean of the batch goes into single samples.

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
                %w: tensor<3x3xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<4x3xf32> {smith.name = "r"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %quarter = stablehlo.constant dense<0.25> : tensor<3xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  // expected-note@+1 {{'stablehlo.reduce' combines the samples of the batch}}
  %0 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.multiply %0, %quarter : tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  // expected-error@+1 {{no micro-batches: 'stablehlo.subtract' uses values of single samples together with one of the whole batch; use one micro-batch per step}}
  %3 = stablehlo.subtract %y, %2 : tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// -----

// A contrastive loss compares every sample with every other one.

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4x4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{no micro-batches: 'stablehlo.dot_general' does not treat samples one by one}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A mean whose weights the model computes: each micro-batch would have to know
// those of all others.

func.func @main(
    %w: tensor<f32> {smith.role = "param", smith.name = "w"},
    // expected-note@+1 {{argument 1 is a batch}}
    %x: tensor<4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %weights = stablehlo.multiply %x, %wide : tensor<4xf32>
  // expected-note@+1 {{'stablehlo.reduce' combines the samples of the batch}}
  %all = stablehlo.reduce(%weights init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %alls = stablehlo.broadcast_in_dim %all, dims = [] : (tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'stablehlo.divide' uses values of single samples together with one of the whole batch}}
  %shares = stablehlo.divide %weights, %alls : tensor<4xf32>
  %0 = stablehlo.multiply %x, %shares : tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Rows of the batch are looked up by their number in the whole batch.

func.func @main(
    // expected-note@+1 {{argument 0 is a batch}}
    %x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
    %rows: tensor<2x1xi32> {smith.role = "constant", smith.name = "rows"})
    -> (tensor<2x3xf32> {smith.name = "r"}) {
  // expected-error@+1 {{'stablehlo.gather' does not treat samples one by one}}
  %0 = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Samples are joined to pairs, half of which the other micro-batch has.

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<8xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4x2xf32> {smith.name = "r"}) {
  // expected-error@+1 {{'stablehlo.reshape' does not treat samples one by one}}
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// Samples along two dimensions are no samples.

func.func @main(
    // expected-note@+1 {{argument 0 is a batch}}
    %x: tensor<4x4xf32> {smith.role = "batch", smith.name = "x"},
    %y: tensor<4x4xf32> {smith.role = "batch", smith.name = "y", smith.batch_dim = 1 : i64})
    -> (tensor<4x4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{'stablehlo.add' does not treat samples one by one}}
  %0 = stablehlo.add %x, %y : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{'stablehlo.custom_call' has no factor rule, so nobody can split its batch}}
  %0 = stablehlo.custom_call @solve(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(
    %test: tensor<i1> {smith.role = "constant", smith.name = "test"},
    // expected-note@+1 {{argument 1 is a batch}}
    %x: tensor<4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{'stablehlo.if' uses the batch inside of a region}}
  %0 = "stablehlo.if"(%test) ({
    %double = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %double : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{needs a function @main of one block}}
module {
  func.func @other() {
    return
  }
}

// -----

// Products have no share of a micro-batch.

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<8x4xf32> {smith.role = "batch"}, %w: tensor<4xf32> {smith.role = "param"})
    -> tensor<8x4xf32> attributes {smith.per_micro_batch} {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<8x4xf32>
  // expected-note@+1 {{'stablehlo.reduce' combines the samples of the batch}}
  %2 = stablehlo.reduce(%1 init: %one) applies stablehlo.multiply across dimensions = [0]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  // expected-error@+1 {{no micro-batches: 'stablehlo.subtract' uses values of single samples together with one of the whole batch; use one micro-batch per step}}
  %4 = stablehlo.subtract %1, %3 : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// -----

// Positions are those in the whole batch, of which a micro-batch has every
// other sample.

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<8x4xf32> {smith.role = "batch", smith.name = "x"},
                %i: tensor<i32> {smith.role = "constant", smith.name = "i"})
    -> (tensor<3x4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{no micro-batches: 'stablehlo.dynamic_slice' does not treat samples one by one}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<8x4xf32> {smith.role = "batch", smith.name = "x"},
                %u: tensor<3x4xf32> {smith.role = "param", smith.name = "u"},
                %i: tensor<i32> {smith.role = "constant", smith.name = "i"})
    -> (tensor<8x4xf32> {smith.name = "r"}) {
  // expected-error@+1 {{no micro-batches: 'stablehlo.dynamic_update_slice' does not treat samples one by one}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<8x4xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
