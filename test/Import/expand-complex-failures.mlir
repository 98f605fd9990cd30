// RUN: shardsmith-opt %s --expand-complex --split-input-file --verify-diagnostics

func.func @larger(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.maximum' on complex numbers; compute with real and imaginary parts there}}
  %0 = stablehlo.maximum %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A body of two numbers is for reductions.
func.func @scatter(%x: tensor<4xcomplex<f32>>, %i: tensor<2x1xi32>, %u: tensor<2xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.scatter' on complex numbers}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %1 = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %1 : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<2x1xi32>, tensor<2xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// What is wrong in a body is named there.
func.func @body(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%x init: %one) across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
   reducer(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>) {
    // expected-error @below {{unsupported: 'stablehlo.maximum' on complex numbers}}
    %1 = stablehlo.maximum %a, %b : tensor<complex<f32>>
    stablehlo.return %1 : tensor<complex<f32>>
  }
  return %0 : tensor<complex<f32>>
}
