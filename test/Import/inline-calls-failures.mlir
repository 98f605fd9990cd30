// RUN: shardsmith-opt %s --inline-calls --split-input-file --verify-diagnostics

func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @even(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @odd(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{unsupported: recursive functions (@even → @odd → @even)}}
  %0 = call @even(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{calls '@outside', which has no body}}
  %0 = call @outside(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outside(tensor<8xf32>) -> tensor<8xf32>
