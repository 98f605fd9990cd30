// RUN: not shardsmith-opt %s --split-micro-batches=shares=3,9223372036854775807 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: error: 9223372036854775807 micro-batches; at most 2147483648 are split
func.func @main(%x: tensor<8xf32> {smith.role = "batch", smith.name = "x"}) {
  return
}
