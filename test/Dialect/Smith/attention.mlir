// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules 2>&1 | FileCheck %s --check-prefix=RULES
// SPDX-License-Identifier: Apache-2.0

// Samples, groups and queries pass through; the gradients of keys are sums over
// groups and queries, so these must be whole.
// CHECK: smith.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 5.000000e-01 : (tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>) -> (tensor<4x3x6x7xf32>, tensor<4x3x6xf32>)
// CHECK: smith.attention_gradient %{{.*}} scale = 5.000000e-01
// RULES: remark: ([i, j, k, m], [i, l, m], [i, l, n])->([i, j, k, n], [i, j, k]) {i=4, j=3, k=6, l=5, m=8, n=7} need_replication={l, m}
// RULES: remark: ([i, j, k, m], [i, l, m], [i, l, n], [i, j, k, n], [i, j, k], [i, j, k, n])->([i, j, k, m], [i, l, m], [i, l, n]) {i=4, j=3, k=6, l=5, m=8, n=7} need_replication={j, k, l, m, n}
func.func @across(%q: tensor<4x3x6x8xf32>, %k: tensor<4x5x8xf32>, %v: tensor<4x5x7xf32>)
    -> (tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>) {
  %o, %lse = smith.attention %q, %k, %v scale = 0.5
      : (tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>) -> (tensor<4x3x6x7xf32>, tensor<4x3x6xf32>)
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %lse, %o scale = 0.5
      : (tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>, tensor<4x3x6x7xf32>, tensor<4x3x6xf32>, tensor<4x3x6x7xf32>)
      -> (tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>)
  return %dq, %dk, %dv : tensor<4x3x6x8xf32>, tensor<4x5x8xf32>, tensor<4x5x7xf32>
}

// A shard of causal queries would not know where it begins. The bias repeats
// along samples and queries.
// CHECK: smith.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} causal scale = 1.000000e+00
// RULES: remark: ([i, j, k, l, n], [i, j, m, n], [i, j, m, o], [p, j, k, q, m])->([i, j, k, l, o], [i, j, k, l]) {i=2, j=4, k=3, l=6, m=6, n=8, o=8, p=1, q=1} need_replication={l, m, n, p, q}
func.func @biased(%q: tensor<2x4x3x6x8xbf16>, %k: tensor<2x4x6x8xbf16>, %b: tensor<1x4x3x1x6xf32>)
    -> tensor<2x4x3x6x8xbf16> {
  %o, %lse = smith.attention %q, %k, %k bias %b causal scale = 1.0
      : (tensor<2x4x3x6x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16>, tensor<1x4x3x1x6xf32>)
      -> (tensor<2x4x3x6x8xbf16>, tensor<2x4x3x6xf32>)
  return %o : tensor<2x4x3x6x8xbf16>
}

// In a ring positions of queries and keys are one factor, which may be split,
// forward and backward; a bias has its keys whole.
// CHECK: smith.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} causal ring scale = 1.000000e+00
// CHECK: smith.attention_gradient %{{.*}} bias %{{.*}} causal ring scale = 1.000000e+00
// RULES: remark: ([i, j, k, m], [i, k, m], [i, k, n], [o, p, k, l])->([i, j, k, n], [i, j, k]) {i=4, j=3, k=6, l=6, m=8, n=7, o=1, p=1} need_replication={l, m, o, p}
// RULES: remark: ([i, j, k, m], [i, k, m], [i, k, n], [i, j, k, n], [i, j, k], [i, j, k, n], [o, p, k, l])->([i, j, k, m], [i, k, m], [i, k, n]) {i=4, j=3, k=6, l=6, m=8, n=7, o=1, p=1} need_replication={j, l, m, n, o, p}
func.func @ring(%q: tensor<4x3x6x8xf32>, %k: tensor<4x6x8xf32>, %v: tensor<4x6x7xf32>, %b: tensor<1x1x6x6xf32>)
    -> tensor<4x3x6x8xf32> {
  %o, %lse = smith.attention %q, %k, %v bias %b causal ring scale = 1.0
      : (tensor<4x3x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x7xf32>, tensor<1x1x6x6xf32>) -> (tensor<4x3x6x7xf32>, tensor<4x3x6xf32>)
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %lse, %o bias %b causal ring scale = 1.0
      : (tensor<4x3x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x7xf32>, tensor<4x3x6x7xf32>, tensor<4x3x6xf32>, tensor<4x3x6x7xf32>, tensor<1x1x6x6xf32>)
      -> (tensor<4x3x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x7xf32>)
  return %dq : tensor<4x3x6x8xf32>
}

// Steps of a ring: sums between them are f32.
// CHECK: smith.partial_attention %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}}, %{{.*}} of 11 bias %{{.*}} after %{{.*}}, %{{.*}} causal scale = 1.000000e+00
// CHECK: smith.partial_attention_gradient %{{.*}} at %{{.*}}, %{{.*}} of 11 queries_after %{{.*}} keys_after %{{.*}}, %{{.*}} scale = 1.000000e+00
func.func @step(%q: tensor<1x6x8xbf16>, %k: tensor<6x8xbf16>, %i: tensor<i32>, %b: tensor<1x1x6xf32>, %o0: tensor<1x6x8xf32>, %l0: tensor<1x6xf32>, %k0: tensor<6x8xf32>) {
  %o, %lse = smith.partial_attention %q, %k, %k at %i, %i of 11 bias %b after %o0, %l0 causal scale = 1.0
      : (tensor<1x6x8xbf16>, tensor<6x8xbf16>, tensor<6x8xbf16>, tensor<i32>, tensor<i32>, tensor<1x1x6xf32>, tensor<1x6x8xf32>, tensor<1x6xf32>)
      -> (tensor<1x6x8xbf16>, tensor<1x6xf32>)
  %dq, %dk, %dv = smith.partial_attention_gradient %q, %k, %k, %o, %lse, %o at %i, %i of 11 queries_after %o0 keys_after %k0, %k0 scale = 1.0
      : (tensor<1x6x8xbf16>, tensor<6x8xbf16>, tensor<6x8xbf16>, tensor<1x6x8xbf16>, tensor<1x6xf32>, tensor<1x6x8xbf16>, tensor<i32>, tensor<i32>, tensor<1x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>)
      -> (tensor<1x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>)
  return
}
