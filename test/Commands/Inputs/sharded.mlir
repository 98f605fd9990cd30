// A weight that its author has split over one of two axes.
module @sharded {
  sdy.mesh @mesh = <["rows"=2, "columns"=2]>
  func.func public @main(
      %w: tensor<16x32xf32> {smith.role = "param", smith.name = "w", sdy.sharding = #sdy.sharding<@mesh, [{}, {"columns"}]>},
      %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x32xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
