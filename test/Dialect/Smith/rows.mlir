// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules 2>&1 | FileCheck %s --check-prefix=RULES
// SPDX-License-Identifier: Apache-2.0

sdy.mesh @mesh = <["expert"=4]>

// CHECK-LABEL: @f
// CHECK: smith.limit_rows %{{.*}} among = 16 capacity = 4 counts copies ["expert"] : tensor<8x12xi32>
// CHECK: smith.limit_rows %{{.*}} among = 16 capacity = 2 : tensor<8x12xi32>
// CHECK: smith.limit_rows %{{.*}} among = 16 capacity = 2 zigzag = 3 positions = 6 counts : tensor<8x12xi32>
// CHECK: smith.place_rows %{{.*}} count = 6 : tensor<8x12xi32> -> (tensor<8x12xi32>, tensor<4x8x2xi32>)
// CHECK: smith.pack_rows %{{.*}}, %{{.*}} : (tensor<8x12x3xf32>, tensor<8x12xi32>) -> tensor<4x8x6x3xf32>
// CHECK: smith.exchange_rows %{{.*}} sends %{{.*}} receives %{{.*}} over ["expert"] expected = 96 : tensor<4x8x6x3xf32>, tensor<4x8x2xi32>, tensor<1x32x2xi32> -> tensor<1x32x6x3xf32>
// CHECK: smith.unpack_rows %{{.*}}, %{{.*}} : (tensor<4x8x6x3xf32>, tensor<8x12xi32>) -> tensor<8x12x3xf32>

// Samples and columns may be split; the rows of a sample and slots may not.
// RULES: ([i, j])->([i, j]) {i=8, j=12} need_replication={j}
// RULES: ([i, j])->([i, j], [k, i, l]) {i=8, j=12, k=4, l=2} need_replication={j, k, l}
// RULES: ([i, k, j], [i, k])->([l, i, m, j]) {i=8, j=3, k=12, l=4, m=6} need_replication={k, l, m}
// RULES: ([l, i, m, j], [i, k])->([i, k, j]) {i=8, j=3, k=12, l=4, m=6} need_replication={k, l, m}
func.func @f(%rows: tensor<8x12x3xf32>, %experts: tensor<8x12xi32>, %there: tensor<1x32x2xi32>) {
  %kept = smith.limit_rows %experts among = 16 capacity = 4 counts copies ["expert"] : tensor<8x12xi32>
  %less = smith.limit_rows %kept among = 16 capacity = 2 : tensor<8x12xi32>
  %dealt = smith.limit_rows %kept among = 16 capacity = 2 zigzag = 3 positions = 6 counts : tensor<8x12xi32>
  %slots, %ends = smith.place_rows %less count = 6 : tensor<8x12xi32> -> (tensor<8x12xi32>, tensor<4x8x2xi32>)
  %packed = smith.pack_rows %rows, %slots : (tensor<8x12x3xf32>, tensor<8x12xi32>) -> tensor<4x8x6x3xf32>
  %all = smith.exchange_rows %packed sends %ends receives %there over ["expert"] expected = 96 : tensor<4x8x6x3xf32>, tensor<4x8x2xi32>, tensor<1x32x2xi32> -> tensor<1x32x6x3xf32>
  %back = smith.unpack_rows %packed, %slots : (tensor<4x8x6x3xf32>, tensor<8x12xi32>) -> tensor<8x12x3xf32>
  return
}
