// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{needs exactly one sdy.mesh in its module}}
  %1 = smith.all_reduce %0 over ["x"] kind = sum : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{uses axis "y", which the mesh does not have}}
  %1 = smith.all_reduce %0 over ["y"] kind = sum : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{uses axis "x" twice}}
  %1 = smith.all_reduce %0 over ["x", "x"] kind = sum : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{expected a reduction kind: sum, product, max, min, and, or}}
  %1 = smith.all_reduce %0 over ["x"] kind = mean : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{expects result type 'tensor<8xf32>' but has 'tensor<4xf32>'}}
  %1 = smith.all_gather %0 over ["x"] dim = 0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<5xf32>) {
  // expected-error@+1 {{splits dimension 0 of size 5 into 2 parts, which does not divide}}
  %1 = smith.reduce_scatter %0 over ["x"] dim = 0 kind = sum : tensor<5xf32> -> tensor<3xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{uses dimension 1 of a tensor of rank 1}}
  %1 = smith.all_gather %0 over ["x"] dim = 1 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{splits and joins the same dimension}}
  %1 = smith.all_to_all %0 over ["x"] split_dim = 0 concat_dim = 0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{uses device 2 of a mesh of 2 devices}}
  %1 = smith.collective_permute %0 pairs = [[0, 2]] : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{has device 1 as a target twice}}
  %1 = smith.collective_permute %0 pairs = [[0, 1], [1, 1]] : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{axis "x" occurs twice}}
func.func @f() attributes {a = #smith.factor_axes<[{"x"}, {}], partial={"x"}>} {
  return
}

// -----

func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{'smith.factor_axes' must be #smith.factor_axes<…>}}
  %1 = stablehlo.abs %0 {smith.factor_axes = "x"} : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{has the pair [0, 2], whose ends differ along other axes than ["y"]}}
  %1 = smith.collective_permute %0 over ["y"] pairs = [[0, 2]] : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4xf32>) {
  // expected-error@+1 {{uses axis "z", which the mesh does not have}}
  %1 = smith.collective_permute %0 over ["z"] pairs = [[0, 1]] : tensor<4xf32>
  return
}
