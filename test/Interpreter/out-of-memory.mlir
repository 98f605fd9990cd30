// What no machine holds is exit code 6 and says where, not the end by a signal.
// RUN: %exits 6 shardsmith-interpret %s 2>&1 | FileCheck %s
// CHECK: out-of-memory.mlir":[[#@LINE + 4]]:{{.*}} error: 'stablehlo.iota' op {{.*}} GiB more are needed for tensors
// CHECK: out of memory

func.func @main() -> tensor<f32> {
  %0 = stablehlo.iota dim = 0 : tensor<274877906944xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0]
    : (tensor<274877906944xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
