// RUN: not shardsmith-opt %s --train=optimizer=lion 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not shardsmith-opt %s --train=compute-dtype=f8 2>&1 | FileCheck %s --check-prefix=TYPE

// OPTIMIZER: error: unknown optimizer 'lion': expected sgd, adam or adamw
// TYPE: error: unknown compute-dtype 'f8': expected f32 or bf16
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  return %w : tensor<f32>
}
