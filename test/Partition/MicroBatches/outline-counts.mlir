// RUN: shardsmith-opt %s --outline-micro-batches --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// The sum over data ranks is taken behind all micro-batches, so that a rank may
// have fewer of them.

// CHECK: smith.repeat @micro_batch count = 3 {{.*}} {smith.counts = array<i64: 3, 1>}
// CHECK: smith.all_reduce
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<i32>) -> tensor<i32>
    attributes {smith.counts = array<i64: 3, 1>, smith.count_axes = ["data"]} {
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %0 = stablehlo.add %x, %i : tensor<i32>
  %1 = smith.accumulate %0 kind = sum : tensor<i32>
  %2 = smith.all_reduce %1 over ["data"] kind = sum : tensor<i32>
  return %2 : tensor<i32>
}

// -----

// Here all ranks have to come to every one.

// CHECK: smith.repeat @micro_batch count = 3
// CHECK-NOT: smith.counts = array<i64: 3, 1>} :
// CHECK: return
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<i32>) -> tensor<i32>
    attributes {smith.counts = array<i64: 3, 1>, smith.count_axes = ["data"]} {
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %0 = stablehlo.add %x, %i : tensor<i32>
  %1 = smith.all_reduce %0 over ["data"] kind = sum : tensor<i32>
  %2 = smith.accumulate %1 kind = sum : tensor<i32>
  return %2 : tensor<i32>
}

// -----

// Ranks that swap their shards along other axes do not wait for data ranks that
// have had all of theirs; along the axis of these they do.

// CHECK: smith.repeat @micro_batch count = 3 {{.*}} {smith.counts = array<i64: 3, 3, 3, 3, 1, 1, 1, 1>}
// CHECK: smith.collective_permute %{{.*}} over ["context", "tensor"]
sdy.mesh @mesh = <["data"=2, "context"=2, "tensor"=2]>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32>
    attributes {smith.counts = array<i64: 3, 3, 3, 3, 1, 1, 1, 1>, smith.count_axes = ["data"]} {
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %each = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %0 = stablehlo.add %x, %each : tensor<2xi32>
  %1 = smith.collective_permute %0 over ["context", "tensor"] pairs = [[0, 0], [1, 2], [2, 1], [3, 3], [4, 4], [5, 6], [6, 5], [7, 7]] : tensor<2xi32>
  %2 = smith.accumulate %1 kind = sum : tensor<2xi32>
  return %2 : tensor<2xi32>
}

// -----

// CHECK: smith.repeat @micro_batch count = 3
// CHECK-NOT: smith.counts = array<i64: 3, 1>} :
// CHECK: return
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32>
    attributes {smith.counts = array<i64: 3, 1>, smith.count_axes = ["data"]} {
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %each = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %0 = stablehlo.add %x, %each : tensor<2xi32>
  %1 = smith.collective_permute %0 over ["data"] pairs = [[0, 1], [1, 0]] : tensor<2xi32>
  %2 = smith.accumulate %1 kind = sum : tensor<2xi32>
  return %2 : tensor<2xi32>
}

// -----

// A gather that micro-batches do not read is done once, whatever its size.

// CHECK: smith.repeat @micro_batch count = 3 {{.*}} {smith.counts = array<i64: 3, 1>}
// CHECK: return
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<2xi32>, %w: tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
    attributes {smith.counts = array<i64: 3, 1>, smith.count_axes = ["data"]} {
  %whole = smith.all_gather %w over ["data"] dim = 0 : tensor<1xi32> -> tensor<2xi32>
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %each = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %0 = stablehlo.add %x, %each : tensor<2xi32>
  %1 = smith.accumulate %0 kind = sum : tensor<2xi32>
  return %1, %whole : tensor<2xi32>, tensor<2xi32>
}

// -----

// One that they read is made in each, because its result is larger than what it
// reads.

// CHECK: smith.repeat @micro_batch count = 3
// CHECK-NOT: smith.counts = array<i64: 3, 1>} :
// CHECK: return
sdy.mesh @mesh = <["data"=2]>
func.func @main(%w: tensor<1xi32>) -> tensor<2xi32>
    attributes {smith.counts = array<i64: 3, 1>, smith.count_axes = ["data"]} {
  %whole = smith.all_gather %w over ["data"] dim = 0 : tensor<1xi32> -> tensor<2xi32>
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %each = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %0 = stablehlo.add %whole, %each : tensor<2xi32>
  %1 = smith.accumulate %0 kind = sum : tensor<2xi32>
  return %1 : tensor<2xi32>
}
