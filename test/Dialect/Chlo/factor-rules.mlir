// RUN: shardsmith-opt %s --report-factor-rules --verify-diagnostics -o /dev/null

func.func @rules(%x: tensor<8x4xf32>) {
  // expected-remark @below {{([i, j])->([i, j]) {i=8, j=4}}}
  %0 = chlo.erf %x : tensor<8x4xf32> -> tensor<8x4xf32>
  // The searched dimension must be whole.
  // expected-remark @below {{([i, j])->([i, k], [i, k]) {i=8, j=4, k=3} need_replication={j, k}}}
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<8x4xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  return
}
