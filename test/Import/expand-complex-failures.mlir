// RUN: shardsmith-opt %s --expand-complex --split-input-file --verify-diagnostics

func.func @hyperbolic(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.tanh' on complex numbers; compute with real and imaginary parts there}}
  %0 = stablehlo.tanh %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A product is not a sum of parts.
func.func @product(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  // expected-error @below {{unsupported: 'stablehlo.reduce' on complex numbers}}
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}

// -----

func.func @mixed(%x: tensor<4xcomplex<f32>>, %y: tensor<4xf32>, %zero: tensor<complex<f32>>, %null: tensor<f32>) -> (tensor<complex<f32>>, tensor<f32>) {
  // expected-error @below {{unsupported: 'stablehlo.reduce' on complex numbers}}
  %0:2 = stablehlo.reduce(%x init: %zero), (%y init: %null) across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<4xf32>, tensor<complex<f32>>, tensor<f32>) -> (tensor<complex<f32>>, tensor<f32>)
   reducer(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>) (%c: tensor<f32>, %d: tensor<f32>) {
    %1 = stablehlo.add %a, %b : tensor<complex<f32>>
    %2 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<complex<f32>>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<complex<f32>>, tensor<f32>
}
