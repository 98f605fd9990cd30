// RUN: shardsmith-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{names @nothing, which is not a function of this module}}
  %0 = smith.with_derivative @nothing of(%x) values(%x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @vjp(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @type(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected '(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>'}}
  %0 = smith.with_derivative @vjp of(%x) values(%x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @vjp(%x: tensor<3xf32>, %g: tensor<3xi32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @values(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{expected those of its values, all floats}}
  %0 = smith.with_derivative @vjp of(%x) values(%i) : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
