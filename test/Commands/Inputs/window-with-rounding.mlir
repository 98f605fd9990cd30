module @rounding {
  func.func public @main(
      %w: tensor<8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %4 = stablehlo.reduce_precision %b, format = e5m2 : tensor<f32>
      %5 = stablehlo.add %a, %4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.slice %w [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %3 : tensor<f32>
  }
}
