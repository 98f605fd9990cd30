// Ops that processors have no lowering for, one of them twice, beside one that
// GPUs have none for.
module @several {
  func.func public @main(
      %w: tensor<8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce_precision %x, format = e5m2 : tensor<8xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %7 = stablehlo.reduce_precision %a, format = e4m3 : tensor<f32>
      %8 = stablehlo.compare LT, %7, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.multiply %w, %1 : tensor<8xf32>
    %3 = stablehlo.reduce_precision %2, format = e5m2 : tensor<8xf32>
    %wide = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf64>
    %power = stablehlo.exponential %wide : tensor<8xf64>
    %4 = stablehlo.convert %power : (tensor<8xf64>) -> tensor<8xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<8xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %6 : tensor<f32>
  }
}
