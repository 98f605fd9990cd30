// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Five elements on two devices: three each, the last of device 1 is padding.
// A sum that masks it is right; the sum that forgets to is NaN, not nearly
// right.

sdy.mesh @mesh = <["x"=2]>

// CHECK: uneven.mlir: completed
// CHECK-NEXT: masked: f32 = 15
// CHECK-NEXT: forgotten: f32 = {{-?}}nan
func.func public @main(
    %x: tensor<3xf32> {smith.role = "param", smith.init = "constant:3", smith.global_shape = array<i64: 5>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<f32> {smith.name = "masked", smith.global_shape = array<i64>, sdy.sharding = #sdy.sharding<@mesh, []>},
        tensor<f32> {smith.name = "forgotten", smith.global_shape = array<i64>, sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %position = stablehlo.iota dim = 0 : tensor<3xi32>
  %shard = smith.shard_index over ["x"] : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %offset = stablehlo.multiply %shard, %three : tensor<i32>
  %offsets = stablehlo.broadcast_in_dim %offset, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %global = stablehlo.add %position, %offsets : tensor<3xi32>
  %size = stablehlo.constant dense<5> : tensor<3xi32>
  %inside = stablehlo.compare LT, %global, %size, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %kept = stablehlo.select %inside, %x, %zeros : tensor<3xi1>, tensor<3xf32>
  %masked_part = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %masked = smith.all_reduce %masked_part over ["x"] kind = sum : tensor<f32>
  %part = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %forgotten = smith.all_reduce %part over ["x"] kind = sum : tensor<f32>
  return %masked, %forgotten : tensor<f32>, tensor<f32>
}
