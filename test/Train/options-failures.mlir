// RUN: not shardsmith-opt %s --train=optimizer=lion 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not shardsmith-opt %s --train=compute-dtype=f4 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not shardsmith-opt %s --train=b1=1.0 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not shardsmith-opt %s --train=learning-rate=-0.5 2>&1 | FileCheck %s --check-prefix=RATE

// OPTIMIZER: error: unknown optimizer 'lion': expected sgd, adam or adamw
// DECAY: error: option b1 is 1.000000: expected a number from 0 up to, but not including, 1
// RATE: error: option learning-rate is -0.500000: expected a finite number that is not negative
// TYPE: error: unknown compute-dtype 'f4': expected f32, bf16 or f8
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  return %w : tensor<f32>
}
