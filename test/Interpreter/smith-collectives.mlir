// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
//        tensor 0  1
//   data 0    [ 0  1 ]
//        1    [ 2  3 ]

sdy.mesh @mesh = <["data"=2, "tensor"=2]>

// CHECK: smith-collectives.mlir: completed
// CHECK-NEXT: reduced: 2xi32 = 30, 50
// CHECK-NEXT: gathered: 4x2xi32 = 10, 20, 30, 40, 10, 20, 30, 40
// CHECK-NEXT: scattered: 2xi32 = 40, 60
// CHECK-NEXT: exchanged: 2x4xi32 = 0, 4, 2, 6, 1, 5, 3, 7
// CHECK-NEXT: permuted: 4xi32 = 0, 10, 20, 0
// CHECK-NEXT: index: 4xi32 = 0, 2, 1, 3
func.func public @main(
    %x: tensor<1xi32> {smith.global_shape = array<i64: 4>, smith.limit = 2 : i64, smith.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data", "tensor"}]>})
    -> (tensor<1xi32> {smith.name = "reduced", smith.global_shape = array<i64: 2>, sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}]>},
        tensor<2x1xi32> {smith.name = "gathered", smith.global_shape = array<i64: 4, 2>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"tensor"}]>},
        tensor<1xi32> {smith.name = "scattered", smith.global_shape = array<i64: 2>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>},
        tensor<1x2xi32> {smith.name = "exchanged", smith.global_shape = array<i64: 2, 4>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"tensor"}]>},
        tensor<1xi32> {smith.name = "permuted", smith.global_shape = array<i64: 4>, sdy.sharding = #sdy.sharding<@mesh, [{"data", "tensor"}]>},
        tensor<1xi32> {smith.name = "index", smith.global_shape = array<i64: 4>, sdy.sharding = #sdy.sharding<@mesh, [{"data", "tensor"}]>}) {
  // A device's own number: 0, 1, 2, 3; and 10 times that plus 10.
  %device = smith.shard_index over ["data", "tensor"] : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %times = stablehlo.multiply %device, %ten : tensor<i32>
  %plus = stablehlo.add %times, %ten : tensor<i32>
  %value = stablehlo.reshape %plus : (tensor<i32>) -> tensor<1xi32>
  %number = stablehlo.reshape %times : (tensor<i32>) -> tensor<1xi32>

  // Number + own over data: (0 + 20, 10 + 30) + 10.
  %sum = smith.all_reduce %number over ["data"] kind = sum : tensor<1xi32>
  %one_ten = stablehlo.constant dense<10> : tensor<1xi32>
  %reduced = stablehlo.add %sum, %one_ten : tensor<1xi32>

  // Devices (0, 2) join 10, 30 and (1, 3) join 20, 40, each a column.
  %gathered_line = smith.all_gather %value over ["data"] dim = 0 : tensor<1xi32> -> tensor<2xi32>
  %gathered = stablehlo.reshape %gathered_line : (tensor<2xi32>) -> tensor<2x1xi32>

  // Everyone holds (value, value + 10); device (data i) gets part i of the sum
  // over data: 0: 10 + 30; 2: 20 + 40. Made equal along tensor by a maximum.
  %next = stablehlo.add %value, %one_ten : tensor<1xi32>
  %pair = stablehlo.concatenate %value, %next, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %part = smith.reduce_scatter %pair over ["data"] dim = 0 kind = sum : tensor<2xi32> -> tensor<1xi32>
  %scattered = smith.all_reduce %part over ["tensor"] kind = min : tensor<1xi32>

  // Device d holds (2d, 2d + 1) as a column. Over data each sends half of it.
  %two = stablehlo.constant dense<2> : tensor<i32>
  %even = stablehlo.multiply %device, %two : tensor<i32>
  %base = stablehlo.broadcast_in_dim %even, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
  %rows = stablehlo.iota dim = 0 : tensor<2x1xi32>
  %column = stablehlo.add %base, %rows : tensor<2x1xi32>
  %exchanged = smith.all_to_all %column over ["data"] split_dim = 0 concat_dim = 1 : tensor<2x1xi32> -> tensor<1x2xi32>

  %permuted = smith.collective_permute %number pairs = [[0, 0], [1, 1], [2, 2]] : tensor<1xi32>

  %minor = smith.shard_index over ["tensor", "data"] : tensor<i32>
  %index = stablehlo.reshape %minor : (tensor<i32>) -> tensor<1xi32>
  return %reduced, %gathered, %scattered, %exchanged, %permuted, %index : tensor<1xi32>, tensor<2x1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>, tensor<1xi32>
}
