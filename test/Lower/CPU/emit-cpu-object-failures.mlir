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
