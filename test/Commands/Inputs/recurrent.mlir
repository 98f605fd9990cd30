// One layer used four times, and a table that is embedding and head: three
// tensors are parameters, 64 * 16 + 16 * 32 + 32 * 16 = 2048 elements.
module @recurrent {
  func.func public @main(
      %table: tensor<64x16xf32> {smith.role = "param", smith.name = "table"},
      %up: tensor<16x32xf32> {smith.role = "param", smith.name = "layer.up"},
      %down: tensor<32x16xf32> {smith.role = "param", smith.name = "layer.down"},
      %tokens: tensor<8x24xi32> {smith.role = "batch", smith.name = "tokens", smith.limit = 64 : i64})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %index = stablehlo.reshape %tokens : (tensor<8x24xi32>) -> tensor<8x24x1xi32>
    %x0 = "stablehlo.gather"(%table, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xf32>, tensor<8x24x1xi32>) -> tensor<8x24x16xf32>
    %x1 = call @layer(%x0, %up, %down) : (tensor<8x24x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<8x24x16xf32>
    %x2 = call @layer(%x1, %up, %down) : (tensor<8x24x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<8x24x16xf32>
    %x3 = call @layer(%x2, %up, %down) : (tensor<8x24x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<8x24x16xf32>
    %x4 = call @layer(%x3, %up, %down) : (tensor<8x24x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<8x24x16xf32>
    %logits = stablehlo.dot_general %x4, %table, contracting_dims = [2] x [1] : (tensor<8x24x16xf32>, tensor<64x16xf32>) -> tensor<8x24x64xf32>
    %square = stablehlo.multiply %logits, %logits : tensor<8x24x64xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x24x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x24x16xf32>, %up: tensor<16x32xf32>, %down: tensor<32x16xf32>) -> tensor<8x24x16xf32> {
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [2] x [0] : (tensor<8x24x16xf32>, tensor<16x32xf32>) -> tensor<8x24x32xf32>
    %1 = stablehlo.tanh %0 : tensor<8x24x32xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [2] x [0] : (tensor<8x24x32xf32>, tensor<32x16xf32>) -> tensor<8x24x16xf32>
    %3 = stablehlo.add %x, %2 : tensor<8x24x16xf32>
    return %3 : tensor<8x24x16xf32>
  }
}
