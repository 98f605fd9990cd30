// RUN: shardsmith-opt %s --lower-program --split-input-file --verify-diagnostics

func.func @main(%a: tensor<3x3xbf16>) -> tensor<3x3xbf16> {
  // expected-error @below {{unsupported on CPU: 'stablehlo.cholesky' of bf16; LAPACK has f32 and f64, convert the matrices}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xbf16>
  return %0 : tensor<3x3xbf16>
}
