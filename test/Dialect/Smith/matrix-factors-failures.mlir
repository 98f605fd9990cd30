// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{takes a matrix of 'tensor<4xf32>': expected floats, with rows and columns as the last dimensions}}
  %q, %r = smith.qr %a : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x4xi32>) {
  // expected-error@+1 {{takes a matrix of 'tensor<4x4xi32>': expected floats}}
  %f, %p, %o = smith.lu %a : (tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{gives q of type 'tensor<4x4xf32>': expected 'tensor<4x3xf32>'}}
  %q, %r = smith.qr %a : (tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{gives r of type 'tensor<4x3xf32>': expected 'tensor<3x3xf32>'}}
  %q, %r = smith.qr %a : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{takes a matrix of 'tensor<4x3xf32>': expected as many rows as columns}}
  %w, %v = smith.eigh %a : (tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>)
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{gives values of type 'tensor<3xf64>': expected 'tensor<3xf32>'}}
  %w, %v = smith.eigh %a : (tensor<3x3xf32>) -> (tensor<3xf64>, tensor<3x3xf32>)
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{gives vectors of type 'tensor<9xf32>': expected 'tensor<3x3xf32>'}}
  %w, %v = smith.eigh %a : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<9xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{gives factors of type 'tensor<3x3xf32>': expected 'tensor<4x3xf32>'}}
  %f, %p, %o = smith.lu %a : (tensor<4x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{gives pivots of type 'tensor<4xi32>': expected 'tensor<3xi32>'}}
  %f, %p, %o = smith.lu %a : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{gives rows of type 'tensor<3xi32>': expected 'tensor<4xi32>'}}
  %f, %p, %o = smith.lu %a : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<3xi32>)
  return
}
