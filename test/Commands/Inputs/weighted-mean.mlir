// SPDX-License-Identifier: Apache-2.0
module @weighted_mean {
  func.func public @main(
      %w0: tensor<16x32xf32> {smith.role = "param", smith.name = "w.0"},
      %w1: tensor<32x16xf32> {smith.role = "param", smith.name = "w.1"},
      %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"},
      %m: tensor<8xf32> {smith.role = "batch", smith.name = "m"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.tanh %0 : tensor<8x32xf32>
    %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<8x16xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %mm = stablehlo.multiply %m, %4 : tensor<8xf32>
    %5 = stablehlo.multiply %4, %mm : tensor<8xf32>
    %sum = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %n = stablehlo.reduce(%mm init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.divide %sum, %n : tensor<f32>
    return %loss : tensor<f32>
  }
}
