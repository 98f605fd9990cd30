// RUN: shardsmith-opt %s --check-forward-graph --split-input-file --verify-diagnostics

func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error @below {{unsupported: a second function, '@other'; a model is one function, @main}}
func.func public @other(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{unsupported: argument 0, a 'tensor<?xf32>', has a dynamic shape; export the model with concrete shapes}}
func.func public @main(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @below {{unsupported: argument 0, a 'tensor<2xcomplex<f32>>', has elements that are neither booleans, integers of 8 to 64 bits nor f8E4M3FN, f8E5M2, f16, bf16, f32 or f64}}
func.func public @main(%x: tensor<2xcomplex<f32>>) {
  return
}

// -----

func.func public @main(%x: tensor<2xf32>) {
  // expected-error @below {{unsupported: 'stablehlo.tuple' with a result of type 'tuple<tensor<2xf32>>', which is not a tensor}}
  %0 = stablehlo.tuple %x : tuple<tensor<2xf32>>
  return
}

// -----

func.func public @main(%x: tensor<2xf32>) {
  // expected-error @below {{unsupported: 'stablehlo.partition_id', of a program that is already split over devices or talks to the host}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<i32> {
  %i = smith.loop_index loop 0 of 2 : tensor<i32>
  // expected-error@+1 {{returns the value of one iteration of a loop; use 'smith.loop_next' or 'smith.loop_stack' before}}
  return %i : tensor<i32>
}

// -----

// All of them are found, in arguments, ops and functions.
// expected-error @below {{unsupported: argument 0, a 'tensor<?xf32>', has a dynamic shape}}
func.func public @main(%x: tensor<?xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{unsupported: 'stablehlo.tuple' with a result of type 'tuple<tensor<2xf32>>', which is not a tensor (and in 2 more places)}}
  %0 = stablehlo.tuple %y : tuple<tensor<2xf32>>
  %1 = stablehlo.tuple %y : tuple<tensor<2xf32>>
  // expected-error @below {{unsupported: 'stablehlo.partition_id'}}
  %2 = stablehlo.partition_id : tensor<ui32>
  %3 = stablehlo.tuple %y : tuple<tensor<2xf32>>
  return
}
// expected-error @below {{unsupported: a second function, '@other'}}
func.func public @other(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
