// RUN: shardsmith-opt %s --count-micro-batches --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

// Marks that no pass of ours writes.

sdy.mesh @mesh = <["data"=2]>
func.func @main(%flags: tensor<4xi1>, %x: tensor<4xf32>, %zero: tensor<4xf32>)
    attributes {smith.shares = array<i64: 3, 1>} {
  // expected-error @below {{smith.counted_rows is 8 : i64: expected a dimension of the first result}}
  %0 = stablehlo.select %flags, %x, %zero {smith.counted_rows = 8 : i64} : tensor<4xi1>, tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<4xf32>) attributes {smith.shares = array<i64: 3, 1>} {
  // expected-error @below {{smith.counted_rows is 0 : i64: expected a dimension of the first result}}
  return {smith.counted_rows = 0 : i64}
}

// -----

// Something is written for every device.

// expected-error @below {{the mesh has 4294967294 devices: programs are made for 1048576 at most}}
module {
  sdy.mesh @mesh = <["data"=2, "tensor"=2147483647]>
  func.func @main(%flags: tensor<4xi1>, %x: tensor<4xf32>, %zero: tensor<4xf32>)
      attributes {smith.shares = array<i64: 3, 1>} {
    %0 = stablehlo.select %flags, %x, %zero {smith.counted_rows = 0 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<4xi1>, tensor<4xf32>
    return
  }
}
