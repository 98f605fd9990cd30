// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @product(%w: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // expected-error @+1 {{does not make up dimension 1 of 'tensor<8x24xf32>'}}
  %0 = stablehlo.tanh %w {smith.parts = [[#smith.parts<dim 1: [3, 4] [{}, {"t"}]>]]} : tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}

// -----

func.func @dimension(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{names dimension 1 of 'tensor<8xf32>'}}
  %0 = stablehlo.tanh %w {smith.parts = [[#smith.parts<dim 1: [8] [{"t"}]>]]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @count(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{must have one list per result}}
  %0 = stablehlo.tanh %w {smith.parts = []} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'smith.parts' must be a list of #smith.parts<…>, got 1}}
func.func @argument(%w: tensor<8xf32> {smith.parts = [1]}) {
  return
}

// -----

// expected-error @+1 {{2 sizes, but 1 lists of axes}}
func.func @lists(%w: tensor<8xf32> {smith.parts = [#smith.parts<dim 0: [2, 4] [{}]>]}) {
  return
}

// -----

// expected-error @+1 {{axis "t" occurs twice}}
func.func @twice(%w: tensor<8xf32> {smith.parts = [#smith.parts<dim 0: [2, 4] [{"t"}, {"t"}]>]}) {
  return
}

// -----

func.func @stage(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.stage' must be an integer from 0 to 2147483647}}
  %0 = stablehlo.tanh %w {smith.stage = -1 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @unit(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.unit' must be an integer from 0 to 2147483647}}
  %0 = stablehlo.tanh %w {smith.unit = "first"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @large_unit(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.unit' must be an integer from 0 to 2147483647}}
  %0 = stablehlo.tanh %w {smith.unit = 9223372036854775807 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @unsigned_stage(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.stage' must be an integer from 0 to 2147483647}}
  %0 = stablehlo.tanh %w {smith.stage = 1 : ui8} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @call(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.call' must be {callee = "…", number = …}, got}}
  %0 = stablehlo.tanh %w {smith.call = "layer"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @recompute(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.recompute' must be none, selective or full, got "some"}}
  %0 = stablehlo.tanh %w {smith.recompute = "some"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @split(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smith.split' must be the name of a factor}}
  %0 = stablehlo.tanh %w {smith.split = ""} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
