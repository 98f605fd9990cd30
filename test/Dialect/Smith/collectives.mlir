// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s -mlir-print-op-generic | shardsmith-opt | FileCheck %s

sdy.mesh @mesh = <["data"=4, "tensor"=2]>

// CHECK-LABEL: @collectives
func.func @collectives(%0: tensor<4x8xf32>) {
  // CHECK: smith.all_reduce %{{.*}} over ["tensor"] kind = sum : tensor<4x8xf32>
  %1 = smith.all_reduce %0 over ["tensor"] kind = sum : tensor<4x8xf32>
  // CHECK: smith.all_gather %{{.*}} over ["data"] dim = 0 : tensor<4x8xf32> -> tensor<16x8xf32>
  %2 = smith.all_gather %1 over ["data"] dim = 0 : tensor<4x8xf32> -> tensor<16x8xf32>
  // CHECK: smith.reduce_scatter %{{.*}} over ["data"] dim = 0 kind = max : tensor<16x8xf32> -> tensor<4x8xf32>
  %3 = smith.reduce_scatter %2 over ["data"] dim = 0 kind = max : tensor<16x8xf32> -> tensor<4x8xf32>
  // CHECK: smith.all_to_all %{{.*}} over ["data", "tensor"] split_dim = 1 concat_dim = 0 : tensor<4x8xf32> -> tensor<32x1xf32>
  %4 = smith.all_to_all %3 over ["data", "tensor"] split_dim = 1 concat_dim = 0 : tensor<4x8xf32> -> tensor<32x1xf32>
  // CHECK: smith.collective_permute %{{.*}} pairs = {{\[\[}}0, 1], [1, 0], [7, 7]] : tensor<32x1xf32>
  %5 = smith.collective_permute %4 pairs = [[0, 1], [1, 0], [7, 7]] : tensor<32x1xf32>
  // CHECK: smith.shard_index over ["data"] : tensor<i32>
  %6 = smith.shard_index over ["data"] : tensor<i32>
  return
}

// CHECK-LABEL: @factor_axes
// CHECK-SAME: a = #smith.factor_axes<[{"data"}, {}, {"tensor"}]>
// CHECK-SAME: b = #smith.factor_axes<[{}, {}], partial={"data", "tensor"}>
// CHECK-SAME: c = #smith.factor_axes<[], partial={"data"} of 1>
func.func @factor_axes() attributes {
    a = #smith.factor_axes<[{"data"}, {}, {"tensor"}]>,
    b = #smith.factor_axes<[{}, {}], partial={"data", "tensor"}>,
    c = #smith.factor_axes<[], partial={"data"} of 1>} {
  return
}
