// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// The mean over samples, and what is added to it, is a sum over samples.

// CHECK-LABEL: "model": "mean"
// CHECK-NOT: micro_batch_obstacle
// CHECK: "segments"
module @mean {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<4.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %mean = stablehlo.divide %sum, %count : tensor<f32>
    %norm = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.add %mean, %norm : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Batch norm: each sample depends on the mean over all of them.

// CHECK-LABEL: "model": "batch_norm"
// CHECK: "micro_batch_obstacle": "'stablehlo.subtract' at {{.*}}micro-batches.mlir{{.*}} combines a value of the whole batch with values of single sequences; 'stablehlo.reduce' at {{.*}}micro-batches.mlir{{.*}} combines those of the batch"
module @batch_norm {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %centered = stablehlo.subtract %y, %sums : tensor<4x8xf32>
    %squares = stablehlo.multiply %centered, %centered : tensor<4x8xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The logarithm of a sum over samples is no sum over samples.

// CHECK-LABEL: "model": "log_of_mean"
// CHECK: "micro_batch_obstacle": "'stablehlo.log' at {{.*}} is not linear in a value of the whole batch; 'stablehlo.reduce' at {{.*}} combines those of the batch"
module @log_of_mean {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.log %sum : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Similarities of all pairs of samples: the row of one sample is summed over the
// whole batch.

// CHECK-LABEL: "model": "contrastive"
// CHECK: "micro_batch_obstacle": "'stablehlo.reduce' at {{.*}} combines a value of the whole batch with values of single sequences"
module @contrastive {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.exponential %1 : tensor<4x4xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.log %3 : tensor<4xf32>
    %loss = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The largest of all samples is no sum of what micro-batches give.

// CHECK-LABEL: "model": "largest"
// CHECK: "micro_batch_obstacle": "'stablehlo.reduce' at {{.*}} is no sum over the sequences of the batch"
module @largest {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %loss = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Functions are looked into, with what calls pass to them.

// CHECK-LABEL: "model": "in_a_call"
// CHECK: "micro_batch_obstacle": "'stablehlo.divide' at {{.*}}micro-batches.mlir{{.*}} combines a value of the whole batch with values of single sequences; 'stablehlo.reduce' at {{.*}} combines those of the batch"
module @in_a_call {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %s: tensor<8xf32> {smith.name = "s", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @norm(%0, %s) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %scaled = stablehlo.multiply %sum, %s : tensor<8xf32>
    %sums = stablehlo.broadcast_in_dim %scaled, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.divide %x, %sums : tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}

// -----

// Weights of samples are data; the sum stays one over samples.

// CHECK-LABEL: "model": "weighted"
// CHECK-NOT: micro_batch_obstacle
// CHECK: "segments"
module @weighted {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"},
      %weight: tensor<4xf32> {smith.name = "weight", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %weight, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What parameters alone make may be added to the loss, linear or not.

// CHECK-LABEL: "model": "regularised"
// CHECK-NOT: micro_batch_obstacle
// CHECK: "segments"
module @regularised {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.multiply %w, %w : tensor<8x8xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.sqrt %3 : tensor<f32>
    %loss = stablehlo.add %1, %4 : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A product over all samples is no sum of micro-batches either, although its
// logarithm would be one.

// CHECK-LABEL: "model": "likelihood"
// CHECK: "micro_batch_obstacle": "'stablehlo.reduce' at {{.*}} is no sum over the sequences of the batch"
module @likelihood {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %p = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %all = stablehlo.reduce(%p init: %one) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.log %all : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// How far samples are from where they go decides when all have arrived.

// CHECK-LABEL: "model": "arrival"
// CHECK: "micro_batch_obstacle": "'smith.loop_next' at {{.*}}micro-batches.mlir{{.*}} decides by the batch how often a loop is done"
module @arrival {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %h = smith.loop_carry %x loop 0 of 32 number = 0 : tensor<4x8xf32>
    %n = stablehlo.sine %h : tensor<4x8xf32>
    %g = smith.loop_carry %true loop 0 of 32 number = 1 : tensor<i1>
    %moves = stablehlo.compare NE, %n, %h : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %any = stablehlo.reduce(%moves init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<i1>
    %end = smith.loop_next %any for %g decides loop 0 of 32 : tensor<i1>
    %z = smith.loop_next %n for %h loop 0 of 32 : tensor<4x8xf32>
    %stopped = smith.stop_gradient %z : tensor<4x8xf32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %stopped, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}

// -----

// The parameters alone decide here.

// CHECK-LABEL: "model": "parameters_decide"
// CHECK-NOT: micro_batch_obstacle
// CHECK: "segments"
module @parameters_decide {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %least = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %h = smith.loop_carry %x loop 0 of 32 number = 0 : tensor<4x8xf32>
    %n = stablehlo.sine %h : tensor<4x8xf32>
    %s = smith.loop_carry %least loop 0 of 32 number = 1 : tensor<f32>
    %t = stablehlo.add %s, %s : tensor<f32>
    %g = smith.loop_carry %true loop 0 of 32 number = 2 : tensor<i1>
    %on = stablehlo.compare LT, %t, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %end = smith.loop_next %on for %g decides loop 0 of 32 : tensor<i1>
    %last = smith.loop_next %t for %s loop 0 of 32 : tensor<f32>
    %z = smith.loop_next %n for %h loop 0 of 32 : tensor<4x8xf32>
    %stopped = smith.stop_gradient %z : tensor<4x8xf32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %stopped, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}
