// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: error: 'func.func' op cannot be interpreted: argument 0: dynamic shapes are not supported (tensor<?xf32>)
// CHECK: dynamic-shape.mlir: unsupported
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
