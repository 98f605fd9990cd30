// RUN: not shardsmith-opt %s --lower-program 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: attention with 9 leading dimensions, more than 8
func.func @main(%q: tensor<1x1x1x1x1x1x1x1x1x1x64x4xf32> {smith.name = "q"},
                %k: tensor<1x1x1x1x1x1x1x1x1x64x4xf32> {smith.name = "k"})
    -> (tensor<1x1x1x1x1x1x1x1x1x1x64x4xf32> {smith.name = "o"}) {
  %o, %l = smith.attention %q, %k, %k scale = 0.5
      : (tensor<1x1x1x1x1x1x1x1x1x1x64x4xf32>, tensor<1x1x1x1x1x1x1x1x1x64x4xf32>, tensor<1x1x1x1x1x1x1x1x1x64x4xf32>)
      -> (tensor<1x1x1x1x1x1x1x1x1x1x64x4xf32>, tensor<1x1x1x1x1x1x1x1x1x1x64xf32>)
  return %o : tensor<1x1x1x1x1x1x1x1x1x1x64x4xf32>
}
