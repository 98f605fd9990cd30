// RUN: shardsmith-opt %s --lower-program --split-input-file --verify-diagnostics

func.func @main(%a: tensor<3x3xbf16>) -> tensor<3x3xbf16> {
  // expected-error @below {{unsupported on CPU: 'stablehlo.cholesky' of bf16; LAPACK has f32 and f64, convert the matrices}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xbf16>
  return %0 : tensor<3x3xbf16>
}

// -----

func.func @main(%a: tensor<3x3xf16>) -> (tensor<3xf16>, tensor<3x3xf16>) {
  // expected-error @below {{unsupported on CPU: 'smith.eigh' of f16; LAPACK has f32 and f64, convert the matrices}}
  %w, %v = smith.eigh %a : (tensor<3x3xf16>) -> (tensor<3xf16>, tensor<3x3xf16>)
  return %w, %v : tensor<3xf16>, tensor<3x3xf16>
}
