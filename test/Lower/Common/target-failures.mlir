// RUN: shardsmith-opt %s --simplify-local=target=abacus --verify-diagnostics
// RUN: shardsmith-opt %s --lower-dots=target=abacus --verify-diagnostics
// RUN: shardsmith-opt %s --form-kernels=target=abacus --verify-diagnostics
// RUN: shardsmith-opt %s --plan-buffers=target=abacus --verify-diagnostics

// expected-error @below {{there is no target 'abacus'; known: cpu, cuda}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
