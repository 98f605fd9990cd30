// RUN: shardsmith-opt %s --emit-cpu-object=path=%t.o --split-input-file --verify-diagnostics

// expected-error @+1 {{needs a function @main with planned buffers}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module {
  func.func @main(%x: tensor<4xf32> {smith.offset = 0 : i64})
      -> (tensor<4xf32> {smith.offset = 64 : i64})
      attributes {smith.arena_bytes = 128 : i64} {
    // expected-error @+1 {{'stablehlo.negate' op is not supported by the CPU lowering}}
    %0 = stablehlo.negate %x {smith.offsets = array<i64: 64>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The descriptor that the runtime reads has room for four batch dimensions.
module {
  func.func @main(%x: tensor<2x2x2x2x2x3x3xf32> {smith.offset = 0 : i64})
      -> (tensor<2x2x2x2x2x3x3xf32> {smith.offset = 1152 : i64})
      attributes {smith.arena_bytes = 2304 : i64} {
    // expected-error @+1 {{'smith.gemm' op has 5 batch dimensions; the runtime's matrix product has at most 4}}
    %0 = smith.gemm %x[0, [144, 72, 36, 18, 9, 3, 1]], %x[0, [144, 72, 36, 18, 9, 3, 1]] batch = [2, 2, 2, 2, 2] sizes = [3, 3, 3] strides = [144, 72, 36, 18, 9, 3, 1] {smith.offsets = array<i64: 1152>} : (tensor<2x2x2x2x2x3x3xf32>, tensor<2x2x2x2x2x3x3xf32>) -> tensor<2x2x2x2x2x3x3xf32>
    return %0 : tensor<2x2x2x2x2x3x3xf32>
  }
}
