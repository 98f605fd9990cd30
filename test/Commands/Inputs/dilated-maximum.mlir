module @dilated {
  func.func public @main(
      %w: tensor<8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.multiply %w, %x : tensor<8xf32>
    %1 = "stablehlo.reduce_window"(%0, %lowest) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}
