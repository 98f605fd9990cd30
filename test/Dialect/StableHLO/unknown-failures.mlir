// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{unregistered operation 'stablehlo.frobnicate' found in dialect ('stablehlo')}}
  %0 = "stablehlo.frobnicate"(%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.frobnicate' is unknown}}
  %0 = stablehlo.frobnicate %x : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'chlo.frobnicate' is unknown}}
  %0 = chlo.frobnicate %x : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{operation being parsed with an unregistered dialect}}
  %0 = "vhlo.add_v1"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{unknown}}
  %0 = stablehlo.negate %x {note = #stablehlo.frobnicate<1>} : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{unknown field 'offset_dim', expected 'offset_dims', 'collapsed_slice_dims', 'operand_batching_dims', 'start_indices_batching_dims', 'start_index_map', 'index_vector_dim'}}
  %0 = stablehlo.negate %x {note = #stablehlo.gather<offset_dim = [1]>} : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{field 'offset_dims' is given twice}}
  %0 = stablehlo.negate %x {note = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>} : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{field 'type' is missing}}
  %0 = stablehlo.negate %x {note = #stablehlo.channel_handle<handle = 1>} : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{Invalid attribute `dimension_numbers` in property conversion}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = 1 : i32, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<f32>
  return
}

// -----

func.func @case() {
  // expected-error@+1 {{elements hex data size is invalid for provided type: 'tensor<4xi1>'}}
  %0 = stablehlo.constant dense<"0x01000101"> : tensor<4xi1>
  return
}
