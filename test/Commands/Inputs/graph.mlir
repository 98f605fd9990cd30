// Nodes of one graph: no dimension of the batch counts samples.
module @graph {
  func.func public @main(
      %w: tensor<32x64xf32> {smith.role = "param", smith.name = "w"},
      %nodes: tensor<48x32xf32> {smith.role = "batch", smith.name = "nodes", smith.batch_dim = -1 : i64},
      %senders: tensor<96xi32> {smith.role = "batch", smith.name = "senders", smith.batch_dim = -1 : i64, smith.limit = 48 : i64})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %nodes, %w, contracting_dims = [1] x [0] : (tensor<48x32xf32>, tensor<32x64xf32>) -> tensor<48x64xf32>
    %1 = stablehlo.reshape %senders : (tensor<96xi32>) -> tensor<96x1xi32>
    %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<48x64xf32>, tensor<96x1xi32>) -> tensor<96x64xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<96x64xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<96x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
