// RUN: shardsmith-opt %s --assign-roles --split-input-file --verify-diagnostics

// expected-error @below {{has no public function @main, which a model file must have}}
module {
  func.func public @train(%w: tensor<f32>) -> tensor<f32> {
    return %w : tensor<f32>
  }
}

// -----

func.func public @main(%w: tensor<f32> {smith.role = "param"},
    // expected-error @below {{argument 1 has no role; give it smith.role, or say which arguments are parameters: params=0-0}}
    %x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func public @main(
    // expected-error @below {{argument 0 ('arg0') is a parameter of 'i32'; parameters must be floating point}}
    %w: tensor<i32> {smith.role = "param"},
    %x: tensor<f32> {smith.role = "batch"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func public @main(%w: tensor<f32> {smith.role = "param", smith.name = "arg1"},
    // expected-error @below {{arguments 0 and 1 are both called 'arg1'}}
    %x: tensor<f32> {smith.role = "param"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func public @main(%w: tensor<f32> {smith.role = "param"},
    %x: tensor<6x2xf32> {smith.role = "batch"},
    // expected-error @below {{argument 2 ('y') holds 2 samples (dimension 0), but argument 1 holds 6; say with smith.batch_dim which dimension counts samples, -1 for none}}
    %y: tensor<2x6xf32> {smith.role = "batch", smith.name = "y"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{has no result that can be the loss: a scalar of floating-point type}}
func.func public @main(%w: tensor<2xf32> {smith.role = "param"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{results 0 and 1 could each be the loss; choose one with loss=N}}
func.func public @main(%w: tensor<2xf32> {smith.role = "param"}, %x: tensor<f32> {smith.role = "batch"}) -> (tensor<f32>, tensor<f32>) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{result 0 ('loss') is the loss, which must be a scalar of floating-point type, but is a 'tensor<2xf32>'}}
func.func public @main(%w: tensor<2xf32> {smith.role = "param"}) -> (tensor<2xf32> {smith.role = "loss"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{must return one loss, a scalar of floating-point type, but returns 0}}
func.func public @main(%w: tensor<2xf32> {smith.role = "param"}) -> (tensor<2xf32> {smith.role = "output"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{only 1 of 2 results have smith.role}}
func.func public @main(%w: tensor<f32> {smith.role = "param"}) -> (tensor<f32> {smith.role = "loss"}, tensor<f32>) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{result 0 ('v') has role 'param', but there is no argument of its name for it to replace}}
func.func public @main(%w: tensor<f32> {smith.role = "param", smith.name = "w"})
    -> (tensor<f32> {smith.role = "param", smith.name = "v"}, tensor<f32> {smith.role = "loss"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{result 0 ('w') has role 'state', but the argument of its name does not}}
func.func public @main(%w: tensor<f32> {smith.role = "param", smith.name = "w"})
    -> (tensor<f32> {smith.role = "state", smith.name = "w"}, tensor<f32> {smith.role = "loss"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{result 0 ('w') is a 'tensor<f32>', but the argument it replaces is a 'tensor<2xf32>'}}
func.func public @main(%w: tensor<2xf32> {smith.role = "param", smith.name = "w"}, %x: tensor<f32> {smith.role = "batch"})
    -> (tensor<f32> {smith.role = "param", smith.name = "w"}, tensor<f32> {smith.role = "loss"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{has more results of role 'param' than arguments}}
func.func public @main(%w: tensor<f32> {smith.role = "param"})
    -> (tensor<f32> {smith.role = "param"}, tensor<f32> {smith.role = "param"}, tensor<f32> {smith.role = "loss"}) {
  return %w, %w, %w : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func public @main(%w: tensor<f32> {smith.role = "param"},
    // expected-error @below {{argument 1 ('arg1') has role 'param', but no result of this train step replaces it; if it never changes, it is constant}}
    %v: tensor<f32> {smith.role = "param"})
    -> (tensor<f32> {smith.role = "param"}, tensor<f32> {smith.role = "loss"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{has optimizer state, so its results must be the 2 parameters and states, with the loss before, between or after them; they are 'tensor<f32>'}}
func.func public @main(%w: tensor<f32> {smith.role = "param"}, %m: tensor<f32> {smith.role = "state"}) -> tensor<f32> {
  return %w : tensor<f32>
}
