// RUN: not shardsmith-opt %s --split-micro-batches=count=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not shardsmith-opt %s --split-micro-batches=count=-3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// RUN: not shardsmith-opt %s --split-micro-batches=count=8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// SPDX-License-Identifier: Apache-2.0

// NONE: error: 0 micro-batches; at least 1 is needed
// NEGATIVE: error: -3 micro-batches; at least 1 is needed
// MANY: error: argument 0 has a batch of 4, which does not divide into 8 micro-batches; use a divisor of it
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"}) {
  return
}
