// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{needs operands of one type, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>, %y: tensor<3xi32>) {
  // expected-error@+1 {{needs operands of one type, found 'tensor<3xf32>' and 'tensor<3xi32>'}}
  %0 = stablehlo.multiply %x, %y : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{needs results of type ('tensor<3xf32>'), found ('tensor<4xf32>')}}
  %0 = stablehlo.tanh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%x: tensor<3xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of float or complex of f32 or f64 or quantized values, but got 'tensor<3xi32>'}}
  %0 = stablehlo.exponential %x : tensor<3xi32>
  return
}

// -----

func.func @case(%x: tensor<3xi1>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of signless or unsigned integer of 2, 4, 8, 16, 32 or 64 bits values, but got 'tensor<3xi1>'}}
  %0 = stablehlo.popcnt %x : tensor<3xi1>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of i1 or signless or unsigned integer}}
  %0 = stablehlo.xor %x, %x : tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{needs results of type ('tensor<2xf32>'), found (}}
  %0 = stablehlo.real %x : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @case(%x: tensor<2xf32>) {
  // expected-error@+1 {{needs results of type ('tensor<2xi1>'), found (}}
  %0 = stablehlo.is_finite %x : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

func.func @case(%x: tensor<2xf16>) {
  // expected-error@+1 {{needs parts of f32 or f64, found 'f16'}}
  %0 = stablehlo.complex %x, %x : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{needs real and imaginary parts of one type, found 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0 = stablehlo.complex %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error@+1 {{needs operands of one element type, found 'f32' and 'i32'}}
  %0 = stablehlo.compare EQ, %x, %y : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{needs operands of one shape, found [2] and [3]}}
  %0 = stablehlo.compare EQ, %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @case(%x: tensor<2xf32>, %y: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{needs min to be a scalar or of shape [3], found [2]}}
  %0 = stablehlo.clamp %x, %y, %s : (tensor<2xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%y: tensor<3xf32>, %s: tensor<f32>, %d: tensor<f64>) {
  // expected-error@+1 {{needs max of element type 'f32', found 'f64'}}
  %0 = stablehlo.clamp %s, %y, %d : (tensor<f32>, tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%p: tensor<2xi1>, %y: tensor<3xf32>) {
  // expected-error@+1 {{needs the predicate to be a scalar or of shape [3], found [2]}}
  %0 = stablehlo.select %p, %y, %y : tensor<2xi1>, tensor<3xf32>
  return
}

// -----

func.func @case(%p: tensor<i1>, %x: tensor<3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{needs branches of one type, found 'tensor<3xf32>' and 'tensor<2xf32>'}}
  %0 = stablehlo.select %p, %x, %y : (tensor<i1>, tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{must have result shape [3], found [4]}}
  %0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{needs at least 1 exponent bit, found 0}}
  %0 = stablehlo.reduce_precision %x, format = e0m3 : tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{expected a format such as e8m10, found 'x8'}}
  %0 = stablehlo.reduce_precision %x, format = x8 : tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>) {
  // expected-error@+1 {{expected 2 operand types and one result type, found '(tensor<3xf32>) -> tensor<3xf32>'}}
  %0 = stablehlo.add %x, %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}
