// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{argument 0: 'smith.role' must be param, state, batch or constant, got "weight"}}
func.func @f(%0: tensor<4xf32> {smith.role = "weight"}) {
  return
}

// -----

// expected-error@+1 {{result 0: 'smith.role' must be param, state, loss or output, got "batch"}}
func.func @f(%0: tensor<4xf32>) -> (tensor<4xf32> {smith.role = "batch"}) {
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+2 {{argument 1: 'smith.name' "w" is also the name of number 0}}
func.func @f(%0: tensor<4xf32> {smith.name = "w"},
             %1: tensor<4xf32> {smith.name = "w"}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.name' must be a non-empty string, got ""}}
func.func @f(%0: tensor<4xf32> {smith.name = ""}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.init' must be zeros, ones, constant:V or normal:STDDEV on an argument, got "normal:-1"}}
func.func @f(%0: tensor<4xf32> {smith.role = "param", smith.init = "normal:-1"}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.batch_dim' must be -1 or a dimension of a batch argument of rank 1, got 1}}
func.func @f(%0: tensor<4xf32> {smith.role = "batch", smith.batch_dim = 1 : i64}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.batch_dim' must be -1 or a dimension of a batch argument of rank 1, got 0 : ui8}}
func.func @f(%0: tensor<4xf32> {smith.role = "batch", smith.batch_dim = 0 : ui8}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.limit' must be a positive integer on an integer batch argument, got 5}}
func.func @f(%0: tensor<4xf32> {smith.role = "batch", smith.limit = 5 : i64}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.global_shape' must be an array of as many sizes as 'tensor<4xf32>' has dimensions}}
func.func @f(%0: tensor<4xf32> {smith.global_shape = array<i64: 4, 4>}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.colour' is not an attribute of this dialect}}
func.func @f(%0: tensor<4xf32> {smith.colour = "red"}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.rows' must be array<i64: begin, end, whole> on an argument, with 0 <= begin < end <= whole, got array<i64: 2, 5, 4>}}
func.func @f(%0: tensor<3xf32> {smith.name = "w[2:5]", smith.rows = array<i64: 2, 5, 4>}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.rows' names 3 rows, but 'tensor<4xf32>' has others}}
func.func @f(%0: tensor<4xf32> {smith.name = "w[2:5]", smith.rows = array<i64: 2, 5, 5>}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'smith.rows' needs a name that ends with "[2:5]"}}
func.func @f(%0: tensor<3xf32> {smith.name = "w", smith.rows = array<i64: 2, 5, 5>}) {
  return
}

// -----

// expected-error @below {{argument 0: 'smith.role' must be param, state, batch or constant, got "loss"}}
func.func @body_without_arguments(tensor<f32> {smith.role = "loss"}) {
  return
}
