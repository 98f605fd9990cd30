// The batch is 2^63 - 1.
func.func public @main(
    %w: tensor<16x8xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<9223372036854775807x16xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<9223372036854775807x16xf32>, tensor<16x8xf32>) -> tensor<9223372036854775807x8xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<9223372036854775807x8xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
