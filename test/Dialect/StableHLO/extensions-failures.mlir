// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%t: tuple<tensor<f32>, tensor<i1>>) {
  // expected-error@+1 {{has index 2, outside [0, 2)}}
  %0 = stablehlo.get_tuple_element %t[2] : (tuple<tensor<f32>, tensor<i1>>) -> tensor<f32>
  return
}

// -----

func.func @case(%t: tuple<tensor<f32>, tensor<i1>>) {
  // expected-error@+1 {{needs results of type ('tensor<f32>'), found (}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, tensor<i1>>) -> tensor<i1>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{expected a tuple, found 'tensor<f32>'}}
  %0 = stablehlo.tuple %x : tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{needs results of the operands' types ('tensor<f32>'), found ('tensor<i1>')}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<f32>) -> tensor<i1>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{needs both operand_layouts and result_layouts, or neither}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<> : tensor<0xindex>]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{operand_layouts has dimension 1 twice: [1, 1]}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{with api_version 4 needs backend_config to be a dictionary, found "x"}}
  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = "x"} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{called computation @nowhere is not a function}}
  %0 = stablehlo.custom_call @f(%x) {called_computations = [@nowhere]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{aliases operand 1, outside [0, 1)}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{decomposition @nowhere is not a function}}
  %0 = stablehlo.composite "a.b" %x {decomposition = @nowhere} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case(%x: tensor<f32>) {
  // expected-error@+1 {{has type ('tensor<f32>') -> ('tensor<f64>'), but its decomposition @case has type '(tensor<f32>) -> ()'}}
  %0 = stablehlo.composite "a.b" %x {decomposition = @case} : (tensor<f32>) -> tensor<f64>
  return
}
