// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @takes(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs the body to take ('tensor<f32>', 'tensor<f32>'), found ('tensor<f32>')}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @returns(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs the body to return ('tensor<f32>'), found ()}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @no_inputs() {
  // expected-error@+1 {{needs at least one input}}
  "stablehlo.reduce"() <{dimensions = array<i64>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @window_shape(%x: tensor<6xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{must have result shape [3], found [2]}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @window_rank(%x: tensor<6xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs one entry of window_dimensions per input dimension: expected 1, found 2}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @window_size(%x: tensor<6xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs window size of at least 1, found 0 in dimension 0}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<7xf32>
  return
}

// -----

func.func @source_shape(%x: tensor<6xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs a source element per window: expected shape [3], found [2]}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @select_returns(%x: tensor<6xf32>, %s: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{needs select to return ('tensor<i1>'), found ('tensor<f32>')}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @sort_dimension(%x: tensor<6xf32>) {
  // expected-error@+1 {{sorts along dimension 1, outside [-1, 1)}}
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @sort_shapes(%x: tensor<6xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{needs inputs of one shape, found 'tensor<6xf32>' and 'tensor<5xf32>'}}
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<6xf32>, tensor<5xf32>) -> (tensor<6xf32>, tensor<5xf32>)
  return
}

// -----

func.func @comparator(%x: tensor<6xf32>) {
  // expected-error@+1 {{needs comparator to take ('tensor<f32>', 'tensor<f32>'), found ('tensor<f32>', 'tensor<i32>')}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @map_dimensions(%x: tensor<6x2xf32>) {
  // expected-error@+1 {{needs dimensions to list all 2 dimensions in order, found [1]}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  return
}

// -----

func.func @condition(%n: tensor<i32>) {
  // expected-error@+1 {{needs the condition to return ('tensor<i1>'), found ('tensor<i32>')}}
  %0 = stablehlo.while(%iterArg = %n) : tensor<i32>
   cond {
    stablehlo.return %iterArg : tensor<i32>
  } do {
    stablehlo.return %iterArg : tensor<i32>
  }
  return
}

// -----

func.func @carried(%n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{needs the body to return ('tensor<i32>'), found ('tensor<i1>')}}
  %0 = stablehlo.while(%iterArg = %n) : tensor<i32>
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

func.func @predicate(%p: tensor<2xi1>) {
  // expected-error@+1 {{needs a scalar predicate, found 'tensor<2xi1>'}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @branch(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error@+1 {{needs false_branch to return ('tensor<f32>'), found ('tensor<i1>')}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @branch_arguments(%i: tensor<i32>) {
  // expected-error@+1 {{needs branch 1 to take (), found ('tensor<f32>')}}
  "stablehlo.case"(%i) ({
    stablehlo.return
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

func.func @no_branch(%i: tensor<i32>) {
  // expected-error@+1 {{needs at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @index(%i: tensor<i64>) {
  // expected-error@+1 {{needs an index of tensor<i32>, found 'tensor<i64>'}}
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i64>) -> ()
  return
}
