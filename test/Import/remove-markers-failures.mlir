// RUN: shardsmith-opt %s --remove-markers --split-input-file --verify-diagnostics

func.func @unknown_target(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{unsupported custom call '@my_kernel': nothing is known about what it computes}}
  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_identity(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported custom call '@LayoutConstraint'}}
  %0 = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @form_of_xla(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{unsupported custom call '@xla.sdy.FuncResultSharding': this is what XLA makes of sdy for itself; read 01.before_propagation.mlir of its dump instead}}
  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
