// RUN: shardsmith-opt --print-workload --split-input-file --verify-diagnostics %s

// expected-error@below {{expected a function @main with a body of one block}}
module {
  func.func @loss() {
    return
  }
}

// -----

module {
  // expected-error@below {{unsupported: a train step (result 0 is a new parameter), for which no strategy is searched; export the forward function, whose result is the loss}}
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<8xf32> {smith.name = "w", smith.role = "param"}) {
    return %w : tensor<8xf32>
  }
}

// -----

module {
  // expected-error@below {{@main has 0 results with smith.role = "loss": expected one}}
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> tensor<f32> {
    return %w : tensor<f32>
  }
}

// -----

module {
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"},
      // expected-error@below {{argument 1 of @main has no smith.role: expected "param", "batch" or "constant"}}
      %x: tensor<4x8xf32>)
      -> (tensor<f32> {smith.role = "loss"}) {
    return %w : tensor<f32>
  }
}

// -----

module {
  // expected-error@below {{@main has no batch argument: mark one with smith.role = "batch"}}
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"})
      -> (tensor<f32> {smith.role = "loss"}) {
    return %w : tensor<f32>
  }
}

// -----

module {
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"},
      // expected-error@below {{6 samples, but another batch argument holds 4}}
      %y: tensor<6xf32> {smith.name = "y", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    return %w : tensor<f32>
  }
}

// -----

module {
  // expected-error@below {{the loss depends on no computation with a parameter: nothing to train}}
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module {
  func.func @main(
      %w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %loss = call @outer(%w) : (tensor<4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @outer(%w: tensor<4xf32>) -> tensor<f32> {
    // expected-error@below {{unsupported: a call outside of @main; inline it}}
    %loss = call @inner(%w) : (tensor<4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @inner(%w: tensor<4xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module {
  func.func private @layer(tensor<4xf32>) -> tensor<f32>
  func.func @main(
      %w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    // expected-error@below {{the called function '@layer' has no body of one block}}
    %loss = call @layer(%w) : (tensor<4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module {
  func.func @main(
      %w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = call @same(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %0, %x : tensor<4xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @same(%w: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@below {{unsupported: result 0 is a parameter as it is; let @main use it directly}}
    return %w : tensor<4xf32>
  }
}

// -----

// The first layer reads the batch, the second what the first one made.

module {
  func.func @main(
      %w0: tensor<8x8xf32> {smith.name = "w.0", smith.role = "param"},
      %w1: tensor<8x8xf32> {smith.name = "w.1", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    // expected-error@below {{unsupported: argument 0 of '@layer' is an activation in another call but not in this one; inline it}}
    %0 = call @layer(%x, %w0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @layer(%0, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// One call scales by a parameter, the other by data of the batch.

module {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %s: tensor<4x8xf32> {smith.name = "s", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @scale(%0, %s) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // expected-error@below {{unsupported: argument 1 of '@scale' is a parameter in another call but not in this one; inline it}}
    %2 = call @scale(%1, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @scale(%x: tensor<4x8xf32>, %s: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.multiply %x, %s : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// Values must be tensors whose size is known and which have elements.

module {
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    // expected-error@below {{unsupported: a value of type tensor<4x0xf32>; expected a tensor of static shape with elements}}
    %0 = stablehlo.slice %x [0:4, 3:3] : (tensor<4x8xf32>) -> tensor<4x0xf32>
    return %w : tensor<f32>
  }
}

// -----

module {
  func.func @main(
      %w: tensor<f32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    // expected-error@below {{unsupported: 'stablehlo.while', whose work depends on values; loops with a known number of iterations are unrolled by the import pipeline}}
    %0 = stablehlo.while(%i = %w) : tensor<f32>
     cond {
      %more = stablehlo.compare LT, %i, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %w : tensor<f32>
      stablehlo.return %next : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}

// -----

// A block has one value for both arguments; the function has two.

module {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    // expected-error@below {{unsupported: arguments 0 and 1 are one value; inline the call}}
    %1 = call @square(%0, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @square(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.multiply %x, %y : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
