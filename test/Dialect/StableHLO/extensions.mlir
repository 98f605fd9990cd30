// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @tuples(%arg0: tensor<3xf32>, %arg1: tensor<i1>) {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<3xf32>, tensor<i1>>
    %1 = stablehlo.tuple %0, %0 : tuple<tuple<tensor<3xf32>, tensor<i1>>, tuple<tensor<3xf32>, tensor<i1>>>
    %2 = stablehlo.get_tuple_element %1[1] : (tuple<tuple<tensor<3xf32>, tensor<i1>>, tuple<tensor<3xf32>, tensor<i1>>>) -> tuple<tensor<3xf32>, tensor<i1>>
    return
  }
  func.func @barriers(%arg0: tensor<3xf32>, %arg1: tensor<i1>) {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<3xf32>, tensor<i1>
    %1 = stablehlo.optimization_barrier {note = "kept"} %arg0 : tensor<3xf32>
    stablehlo.optimization_barrier ()
    return
  }
  func.func @calls(%arg0: tensor<3xf32>, %arg1: tensor<2x3xf32>) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.custom_call @"not-an-id"(%arg0) {api_version = 4 : i32, backend_config = {scale = 5.000000e-01 : f32}} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.custom_call @print(%arg0, %arg1) {called_computations = [@gelu], has_side_effect = true} : (tensor<3xf32>, tensor<2x3xf32>) -> ()
    %2:2 = stablehlo.custom_call @solve(%arg1) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
    %3 = stablehlo.composite "jax.gelu" %arg0 {composite_attributes = {approximate = true}, decomposition = @gelu, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    return
  }
  func.func private @gelu(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
  func.func @quantized(%arg0: tensor<3xf32>, %arg1: tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %1 = stablehlo.uniform_dequantize %arg1 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3xf32>
    return
  }
}

