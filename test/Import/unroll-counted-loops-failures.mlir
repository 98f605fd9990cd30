// RUN: shardsmith-opt %s --unroll-counted-loops=max-ops=100 --split-input-file --verify-diagnostics

func.func @until_converged(%x: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{unsupported loop: not counted, the bound in its condition is not a constant integer}}
  %r = stablehlo.while(%y = %x) : tensor<f32>
   cond {
    %t = stablehlo.compare GT, %y, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %z = stablehlo.sine %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @no_comparison(%p: tensor<i1>) -> tensor<i1> {
  // expected-error @below {{unsupported loop: not counted, its condition is not a comparison}}
  %r = stablehlo.while(%q = %p) : tensor<i1>
   cond {
    stablehlo.return %q : tensor<i1>
  } do {
    stablehlo.return %q : tensor<i1>
  }
  return %r : tensor<i1>
}

// -----

func.func @unknown_start(%n: tensor<i32>) -> tensor<i32> {
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  // expected-error @below {{unsupported loop: not counted, loop value 0, which its condition compares, does not start at a constant integer}}
  %r = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c9 : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

func.func @doubling() -> tensor<i32> {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  // expected-error @below {{unsupported loop: not counted, its body does not add a constant to loop value 0, which its condition compares}}
  %r = stablehlo.while(%i = %c1) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

func.func @forever() -> tensor<i32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  // expected-error @below {{unsupported loop: not counted, it runs more than 100 times}}
  %r = stablehlo.while(%i = %c0) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c0 : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

func.func @too_large(%x: tensor<f32>) -> tensor<f32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c60 = stablehlo.constant dense<60> : tensor<i32>
  // expected-error @below {{unsupported loop: unrolling its 60 iterations would make more than 100 ops}}
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<f32>
   cond {
    %t = stablehlo.compare LT, %i, %c60, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %z = stablehlo.sine %y : tensor<f32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
