// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case() {
  // expected-error@+1 {{has a value of shape [2], but a result of shape [3]}}
  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @case() {
  // expected-error@+1 {{has a value of element type 'i32', but a result of element type 'i64'}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi64>
  return
}

// -----

func.func @case() {
  // expected-error@+1 {{expected the elements of a tensor, such as dense<0> : tensor<2xi32>, found 1 : i32}}
  %0 = stablehlo.constant 1 : i32
  return
}

// -----

func.func @case() {
  // expected-error@+1 {{counts along dimension 2, outside [0, 2)}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot change the number of elements, from 6 in [2, 3] to 8 in [8]}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot change the element type, from 'f32' to 'i32'}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

func.func @case(%x: tensor<2xi32>) {
  // expected-error@+1 {{must have result shape [2, 2], found [3, 2]}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi32>) -> tensor<3x2xi16>
  return
}

// -----

func.func @case(%x: tensor<2x3xi16>) {
  // expected-error@+1 {{from 16 to 32 bits needs operand shape [2, 2], found [2, 3]}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2x3xi16>) -> tensor<2xi32>
  return
}

// -----

func.func @case(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{cannot reinterpret 'complex<f32>' as 'f64'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{needs sizes of at least 0, found [-1]}}
  %0 = stablehlo.broadcast %x, sizes = [-1] : (tensor<2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{needs one entry of broadcast_dimensions per operand dimension: expected 1, found 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{broadcast_dimensions has dimension 2, outside [0, 2)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{broadcast_dimensions has dimension 1 twice: [1, 1]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{operand dimension 0 has size 2, but result dimension 1 has size 3; it must be equal or 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{needs one entry of permutation per operand dimension: expected 2, found 1}}
  %0 = stablehlo.transpose %x, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{permutation has dimension 0 twice: [0, 0]}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{needs results of type ('tensor<3x2xf32>'), found (}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{dimensions has dimension 1, outside [0, 1)}}
  %0 = stablehlo.reverse %x, dims = [1] : tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{needs interior padding of at least 0, found -1 in dimension 0}}
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{pads dimension 0 of size 2 to size -1, below 0}}
  %0 = stablehlo.pad %x, %s, low = [-3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{pads dimension 0 to a size beyond 64 bits}}
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [9223372036854775807] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{needs a scalar padding value of 'f32', found 'tensor<1xf32>'}}
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error@+1 {{needs 0 <= start <= limit, found 3 and 2 in dimension 0}}
  %0 = stablehlo.slice %x [3:2] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error@+1 {{ends at 5 in dimension 0, beyond its size 4}}
  %0 = stablehlo.slice %x [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error@+1 {{needs a stride of at least 1, found 0 in dimension 0}}
  %0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{slice_sizes has size 5 in dimension 0, outside [0, 4]}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{needs one entry of start_indices per operand dimension: expected 1, found 2}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<4x4xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{needs start indices of one type, found 'tensor<i32>' and 'tensor<i64>'}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<4x4xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{needs scalar start indices, found 'tensor<1xi32>'}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{update has size 5 in dimension 0, outside [0, 4]}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>, %u: tensor<2xi32>, %i: tensor<i32>) {
  // expected-error@+1 {{needs an update of element type 'f32', found 'i32'}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xi32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{inputs differ in dimension 1, with sizes 3 and 4; only dimension 0 may differ}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{joins along dimension 2, outside [0, 2)}}
  %0 = stablehlo.concatenate %x, dim = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %y: tensor<2x1xf32>) {
  // expected-error@+1 {{needs inputs of one element type and rank, found 'tensor<2xf32>' and 'tensor<2x1xf32>'}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<4xf32>
  return
}
