// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules 2>&1 | FileCheck %s --check-prefix=RULES

// RULES: ([i, j, k])->([i, l, m], [i, n, o]) {i=2, j=4, k=3, l=4, m=3, n=3, o=3} need_replication={j, k, l, m, n, o}
// RULES: ([i, j, k])->([i, l], [i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3} need_replication={j, k, l, m, n}
// RULES: ([i, j, k])->([i, l, m], [i, n], [i, o]) {i=2, j=4, k=3, l=4, m=3, n=3, o=4} need_replication={j, k, l, m, n, o}
// CHECK-LABEL: func.func @factors(
func.func @factors(%a: tensor<2x4x3xf32>, %b: tensor<2x3x3xf64>) {
  // CHECK: smith.qr %{{.*}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x3xf32>)
  %q, %r = smith.qr %a : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x3xf32>)
  // CHECK: smith.eigh %{{.*}} : (tensor<2x3x3xf64>) -> (tensor<2x3xf64>, tensor<2x3x3xf64>)
  %w, %v = smith.eigh %b : (tensor<2x3x3xf64>) -> (tensor<2x3xf64>, tensor<2x3x3xf64>)
  // CHECK: smith.lu %{{.*}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2x4xi32>)
  %f, %p, %o = smith.lu %a : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2x4xi32>)
  return
}
