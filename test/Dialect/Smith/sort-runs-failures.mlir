// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%x: tensor<9xf32>) {
  // expected-error@+1 {{makes runs of 6 from runs of 1; expected powers of two, from 1 or the half}}
  %0 = smith.sort_runs(%x) dimension = 0 from = 1 to = 6 : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error@+1 {{makes runs of 8 from runs of 2; expected powers of two, from 1 or the half}}
  %0 = smith.sort_runs(%x) dimension = 0 from = 2 to = 8 : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error@+1 {{sorts along dimension 1 of 1}}
  %0 = smith.sort_runs(%x) dimension = 1 from = 1 to = 8 : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error@+1 {{needs results of the operands' types ('tensor<9xf32>'), found ('tensor<8xf32>')}}
  %0 = smith.sort_runs(%x) dimension = 0 from = 1 to = 8 : (tensor<9xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{needs operands of one shape, found 'tensor<9xf32>', 'tensor<8xf32>'}}
  %0:2 = smith.sort_runs(%x, %y) dimension = 0 from = 1 to = 8 : (tensor<9xf32>, tensor<8xf32>) -> (tensor<9xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %y: tensor<9xi32>) {
  // expected-error@+1 {{needs a comparator of ('tensor<f32>', 'tensor<f32>', 'tensor<i32>', 'tensor<i32>'), found ('tensor<f32>', 'tensor<f32>')}}
  %0:2 = smith.sort_runs(%x, %y) dimension = 0 from = 1 to = 8 : (tensor<9xf32>, tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error@+1 {{needs a comparator that returns 'tensor<i1>'}}
  %0 = smith.sort_runs(%x) dimension = 0 from = 1 to = 8 : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %a : tensor<f32>
  }
  return
}
