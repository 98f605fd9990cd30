// RUN: shardsmith-opt --print-workload --split-input-file --verify-diagnostics %s

// expected-error@below {{expected a function @main with a body of one block}}
module {
  func.func @loss() {
    return
  }
}

// -----

module {
  // expected-error@below {{a train step: result 0 is a new parameter; expected the forward graph, whose result is the loss}}
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
