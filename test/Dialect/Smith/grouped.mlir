// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules 2>&1 | FileCheck %s --check-prefix=RULES
// SPDX-License-Identifier: Apache-2.0

// CHECK: smith.grouped_dot %{{.*}}, %{{.*}}, %{{.*}} : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x6xf32>
// CHECK: smith.grouped_dot %{{.*}}, %{{.*}}, %{{.*}} transposed : (tensor<12x6xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x8xf32>
// CHECK: smith.grouped_outer %{{.*}}, %{{.*}}, %{{.*}} : (tensor<12x8xf32>, tensor<12xi32>, tensor<12x6xf32>) -> tensor<4x8x6xf32>
// RULES: remark: ([i, j], [i], [l, j, k])->([i, k]) {i=12, j=8, k=6, l=4} reduction={j} need_replication={l}
// RULES: remark: ([i, j], [i], [l, k, j])->([i, k]) {i=12, j=6, k=8, l=4} reduction={j} need_replication={l}
// RULES: remark: ([i, j], [i], [i, k])->([l, j, k]) {i=12, j=8, k=6, l=4} reduction={i} need_replication={l}
func.func @rows(%x: tensor<12x8xf32>, %g: tensor<12xi32>, %w: tensor<4x8x6xf32>)
    -> (tensor<12x8xf32>, tensor<4x8x6xf32>) {
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x6xf32>
  %z = smith.grouped_dot %y, %g, %w transposed : (tensor<12x6xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x8xf32>
  %d = smith.grouped_outer %x, %g, %y : (tensor<12x8xf32>, tensor<12xi32>, tensor<12x6xf32>) -> tensor<4x8x6xf32>
  return %z, %d : tensor<12x8xf32>, tensor<4x8x6xf32>
}

// CHECK: smith.grouped_dot %{{.*}} : (tensor<2x3x5x8xbf16>, tensor<2x3x5xi32>, tensor<2x4x8x6xbf16>) -> tensor<2x3x5x6xbf16>
// RULES: remark: ([i, j, k, l], [i, j, k], [i, n, l, m])->([i, j, k, m])
// RULES: remark: ([i, j, k, l], [i, j, k], [i, j, k, m])->([i, n, l, m]) {{.*}} reduction={j, k}
func.func @batches(%x: tensor<2x3x5x8xbf16>, %g: tensor<2x3x5xi32>, %w: tensor<2x4x8x6xbf16>)
    -> tensor<2x4x8x6xbf16> {
  %y = smith.grouped_dot %x, %g, %w : (tensor<2x3x5x8xbf16>, tensor<2x3x5xi32>, tensor<2x4x8x6xbf16>) -> tensor<2x3x5x6xbf16>
  %d = smith.grouped_outer %x, %g, %y : (tensor<2x3x5x8xbf16>, tensor<2x3x5xi32>, tensor<2x3x5x6xbf16>) -> tensor<2x4x8x6xbf16>
  return %d : tensor<2x4x8x6xbf16>
}
