// RUN: shardsmith-opt --annotate-strategy --split-input-file --verify-diagnostics %s

// No search was run.

// expected-error@below {{the module has no plan: expected an attribute smith.plan with a strategy, as search-strategy writes it}}
module {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A plan that decides nothing.

// expected-error@below {{the module has no plan: expected}}
module attributes {smith.plan = {cluster = "cpu:2"}} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Values that no JSON file could hold.

// expected-error@below {{dense<1> : tensor<1xi32> is no value of a plan: expected a dictionary, an array, a string, a boolean, an i64 or an f64}}
module attributes {smith.plan = {strategy = {degrees = dense<1> : tensor<1xi32>}}} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The same inside of an array: numbers have 64 bits.

// expected-error@below {{4 : i32 is no value of a plan}}
module attributes {smith.plan = {strategy = {stages = [4 : i32]}}} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What the schema of plan.json does not know is refused with its place.

// expected-error@below {{smith.plan: strategy/schedule: 'none' is none of gpipe, 1f1b, eager-1f1b, interleaved, zb-h1, zb-h2, zb-v, dualpipe-v}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "none",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// So are degrees of no rank.

// expected-error@below {{smith.plan: strategy/degrees/tensor: Expected number greater than or equal to 1.000000}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 0, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What no schema says: an interval of the chain that ends before it begins.

// expected-error@below {{smith.plan: strategy/stages/0/units: [1, 0] is not an interval of a chain}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [1, 0], recompute = [], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Stages that do not cover the chain.

// expected-error@below {{smith.plan: strategy: stage 0 holds units 0 to 0; expected at least one unit from 0 on}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 0], recompute = [], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A plan without layouts of the blocks.

// expected-error@below {{strategy: the plan has layouts of 0 blocks, the model has 1}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = []}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A plan for another model: ops, factors and tensors have names.

// expected-error@below {{smith.plan: strategy: layout of block "block": op 0 is "v", but the model's is "w"}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "v", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The op has other factors.

// expected-error@below {{smith.plan: strategy: layout of block "block": op "w" has no factor "heads"}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "heads"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The tensor has fewer dimensions.

// expected-error@below {{smith.plan: strategy: layout of block "block": tensor "w.out" has no dimension 7}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 7},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Axes of a parameter that are not those of its layout.

// expected-error@below {{smith.plan: strategy: layout of block "block": names, shape or axes of parameter 0 are not those of the model's "w"}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n8"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["v"], shape = [8, 8], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What is no loss graph has no workload to be annotated.

module {
  // expected-error@below {{@main has no batch argument: mark one with smith.role = "batch"}}
  func.func @main(
      %w: tensor<f32> {smith.role = "param", smith.name = "w"})
      -> (tensor<f32> {smith.role = "loss"}) {
    return %w : tensor<f32>
  }
}

// -----

// Three times eight columns are one factor of the workload. Its halves are no
// halves of the dimension of three, so no sharding of the value says what
// splits it.

// expected-error@below {{no sharding says how this value is split: its dimensions are split as one}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n24"}, {op = "reduce", split = "n24"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [{names = ["w"], shape = [8, 24], axes = [[], ["tensor"]]}]}]}}
} {
  func.func @main(
      %w: tensor<8x3x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x3x8xf32>) -> tensor<4x3x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x3x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<4x3x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The same where tensors are whole and an op alone splits the factor.

// expected-error@below {{no axes of factors say how this op is split: several dimensions are split as one}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w", split = "n24"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = "whole"},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [{names = ["w"], shape = [8, 24], axes = [[], []]}]}]}}
} {
  func.func @main(
      %w: tensor<8x3x8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x3x8xf32>) -> tensor<4x3x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x3x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<4x3x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A function has one body. Here it is called as two blocks, because a further
// value goes past the second call only, and the plan splits these differently.

// expected-error@below {{the function is called as two blocks that are laid out differently}}
module attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 5], recompute = [["none", 5]], pool = 0}],
    layouts = [
      {block = "block",
       ops = [{op = "w.0"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "w.0.out", layout = "whole"}],
       parameters = [{names = ["w.0"], shape = [8, 8], axes = [[], []]}]},
      {block = "block",
       ops = [{op = "w.1", split = "n8"}, {op = "tanh", split = "n8"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "w.1.out", layout = 1},
                  {tensor = "tanh.out", layout = "whole"}],
       parameters = [
         {names = ["w.1"], shape = [8, 8], axes = [[], ["tensor"]]}]},
      {block = "block",
       ops = [{op = "u"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "x", layout = "whole"},
                  {tensor = "u.out", layout = "whole"}],
       parameters = [{names = ["u"], shape = [8, 8], axes = [[], []]}]},
      {block = "block",
       ops = [{op = "w.2"}, {op = "tanh"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "x_2", layout = "whole"},
                  {tensor = "w.2.out", layout = "whole"},
                  {tensor = "tanh.out", layout = "whole"}],
       parameters = [{names = ["w.2"], shape = [8, 8], axes = [[], []]}]},
      {block = "block",
       ops = [{op = "reduce"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "x_2", layout = "whole"},
                  {tensor = "reduce.out", layout = "whole"}],
       parameters = []}]}}
} {
  func.func @main(
      %w0: tensor<8x8xf32> {smith.role = "param", smith.name = "w.0"},
      %w1: tensor<8x8xf32> {smith.role = "param", smith.name = "w.1"},
      %w2: tensor<8x8xf32> {smith.role = "param", smith.name = "w.2"},
      %u: tensor<8x8xf32> {smith.role = "param", smith.name = "u"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @layer(%0, %w1)
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %side = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = call @layer(%1, %w2)
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.multiply %2, %side : tensor<4x8xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
      -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
