// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%x: tensor<?xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{needs output_shape to be a vector of 2 entries, found 'tensor<3xi32>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<3xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @case(%x: tensor<?xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{cannot change the element type, from 'f32' to 'f64'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf64>
  return
}

// -----

func.func @case(%x: tensor<?xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{broadcast_dimensions has dimension 1, outside [0, 1)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @case(%s: tensor<1xi32>) {
  // expected-error@+1 {{counts along dimension 1, outside [0, 1)}}
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<1xi32>) -> tensor<?xi32>
  return
}

// -----

func.func @case(%x: tensor<?xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{cannot change the rank, from 1 to 2}}
  %0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @case(%x: tensor<?xf32>, %z: tensor<f32>, %s: tensor<1xi32>, %t: tensor<2xi32>) {
  // expected-error@+1 {{needs edge_padding_high to be a vector of 1 entries, found 'tensor<2xi32>'}}
  %0 = stablehlo.dynamic_pad %x, %z, %s, %t, %s : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @case(%x: tensor<?xf32>) {
  // expected-error@+1 {{dim has dimension 1, outside [0, 1)}}
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?xf32>) -> tensor<i32>
  return
}

// -----

func.func @case(%x: tensor<?xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{needs a scalar size, found 'tensor<1xi32>'}}
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}
