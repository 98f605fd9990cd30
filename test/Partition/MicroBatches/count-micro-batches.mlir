// RUN: shardsmith-opt %s --count-micro-batches --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Devices are numbered row by row: "data" is the major axis.

// CHECK: attributes {smith.count_axes = ["data"], smith.counts = array<i64: 3, 3, 1, 1>, smith.shares = array<i64: 3, 1>}
// CHECK-NOT: smith.counted_rows
sdy.mesh @mesh = <["data"=2, "tensor"=2]>
func.func @main(%flags: tensor<4xi1>, %x: tensor<4xf32>, %zero: tensor<4xf32>)
    attributes {smith.shares = array<i64: 3, 1>} {
  %0 = stablehlo.select %flags, %x, %zero {smith.counted_rows = 0 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<4xi1>, tensor<4xf32>
  return
}

// -----

// Rows that are whole on every rank are no rank's own.

// CHECK: attributes {smith.shares = array<i64: 3, 1>}
sdy.mesh @mesh = <["data"=2]>
func.func @main(%flags: tensor<4xi1>, %x: tensor<4xf32>, %zero: tensor<4xf32>)
    attributes {smith.shares = array<i64: 3, 1>} {
  %0 = stablehlo.select %flags, %x, %zero {smith.counted_rows = 0 : i64} : tensor<4xi1>, tensor<4xf32>
  return
}
