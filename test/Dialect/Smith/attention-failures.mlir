// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @f(%q: tensor<6x8xf32>, %k: tensor<8xf32>) {
  // expected-error@+1 {{has queries of type 'tensor<6x8xf32>': expected groups, positions and features as their last three dimensions}}
  %o, %l = smith.attention %q, %k, %k scale = 1.0 : (tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<6x8xf32>, tensor<6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<1x6x8xf32>) {
  // expected-error@+1 {{has keys or values of type 'tensor<1x6x8xf32>': expected one dimension less than the queries have, 'tensor<1x6x8xf32>'}}
  %o, %l = smith.attention %q, %k, %k scale = 1.0 : (tensor<1x6x8xf32>, tensor<1x6x8xf32>, tensor<1x6x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x7xf32>, %v: tensor<5x8xf32>) {
  // expected-error@+1 {{has keys of type 'tensor<5x7xf32>': expected the sizes 5x8}}
  %o, %l = smith.attention %q, %k, %v scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x7xf32>, tensor<5x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %v: tensor<4x8xf32>) {
  // expected-error@+1 {{has values of type 'tensor<4x8xf32>': expected the sizes 5x8}}
  %o, %l = smith.attention %q, %k, %v scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<4x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>) {
  // expected-error@+1 {{has log-sum-exps of type 'tensor<6xf32>': expected the sizes 1x6}}
  %o, %l = smith.attention %q, %k, %k scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<1x6x8xf32>, tensor<6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %b: tensor<1x6x4xf32>) {
  // expected-error@+1 {{has a bias of type 'tensor<1x6x4xf32>': expected for each dimension 1 or the size that the scores have, 1x6x5}}
  %o, %l = smith.attention %q, %k, %k bias %b scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x6x4xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>) {
  // expected-error@+1 {{is causal with 6 queries and 5 keys: expected as many of each}}
  %o, %l = smith.attention %q, %k, %k causal scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>) {
  // expected-error@+1 {{has a scale that is no finite number}}
  %o, %l = smith.attention %q, %k, %k scale = 0x7FF0000000000000 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %l: tensor<1x6xf32>, %g: tensor<1x6x7xf32>) {
  // expected-error@+1 {{has a cotangent of type 'tensor<1x6x7xf32>': expected the shape of the output, 'tensor<1x6x8xf32>'}}
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %k, %q, %l, %g scale = 1.0
    : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x6x8xf32>, tensor<1x6xf32>, tensor<1x6x7xf32>) -> (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %l: tensor<1x6xf32>) {
  // expected-error@+1 {{has a gradient of type 'tensor<5x8xbf16>': expected that of the operand, 'tensor<5x8xf32>'}}
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %k, %q, %l, %q scale = 1.0
    : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x6x8xf32>, tensor<1x6xf32>, tensor<1x6x8xf32>) -> (tensor<1x6x8xf32>, tensor<5x8xbf16>, tensor<5x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>) {
  // expected-error@+1 {{is a ring with 6 queries and 5 keys: expected as many of each}}
  %o, %l = smith.attention %q, %k, %k ring scale = 1.0 : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %i: tensor<i32>, %before: tensor<1x5x8xf32>, %l0: tensor<1x6xf32>) {
  // expected-error@+1 {{has an output before of type 'tensor<1x5x8xf32>': expected the shape of 'tensor<1x6x8xf32>'}}
  %o, %l = smith.partial_attention %q, %k, %k at %i, %i of 8 after %before, %l0 scale = 1.0
      : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<i32>, tensor<i32>, tensor<1x5x8xf32>, tensor<1x6xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %i: tensor<i32>, %before: tensor<1x6x8xf32>, %l0: tensor<1x5xf32>) {
  // expected-error@+1 {{has log-sum-exps before of type 'tensor<1x5xf32>': expected the shape of 'tensor<1x6xf32>'}}
  %o, %l = smith.partial_attention %q, %k, %k at %i, %i of 8 after %before, %l0 scale = 1.0
      : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<i32>, tensor<i32>, tensor<1x6x8xf32>, tensor<1x5xf32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %l: tensor<1x6xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{has gradients of keys before of type 'tensor<1x6x8xf32>': expected the shape of 'tensor<5x8xf32>'}}
  %dq, %dk, %dv = smith.partial_attention_gradient %q, %k, %k, %q, %l, %q at %i, %i of 8 keys_after %q, %k scale = 1.0
      : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x6x8xf32>, tensor<1x6xf32>, tensor<1x6x8xf32>, tensor<i32>, tensor<i32>, tensor<1x6x8xf32>, tensor<5x8xf32>)
      -> (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<5x8xf32>, %l: tensor<1x6xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{has a gradient of type 'tensor<6x8xf32>': expected the shape of 'tensor<5x8xf32>'}}
  %dq, %dk, %dv = smith.partial_attention_gradient %q, %k, %k, %q, %l, %q at %i, %i of 8 scale = 1.0
      : (tensor<1x6x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x6x8xf32>, tensor<1x6xf32>, tensor<1x6x8xf32>, tensor<i32>, tensor<i32>)
      -> (tensor<1x6x8xf32>, tensor<6x8xf32>, tensor<5x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x8x8xf32>, %k: tensor<8x8xf32>) {
  // expected-error@+1 {{is in zigzag but no ring: expected both}}
  %o, %l = smith.attention %q, %k, %k causal zigzag = 2 scale = 1.0 : (tensor<1x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x8x8xf32>, %k: tensor<8x8xf32>) {
  // expected-error@+1 {{is in zigzag over 3 ranks with 8 positions: expected two equal parts per rank}}
  %o, %l = smith.attention %q, %k, %k causal ring zigzag = 3 scale = 1.0 : (tensor<1x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x6x8xf32>, %k: tensor<6x8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{is in zigzag with 6 queries and 6 keys of 16 positions: expected an even number that divides the positions, the same of each}}
  %o, %l = smith.partial_attention %q, %k, %k at %i, %i of 16 causal zigzag scale = 1.0 : (tensor<1x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> (tensor<1x6x8xf32>, tensor<1x6xf32>)
  return
}
