// RUN: shardsmith-opt %s --outline-micro-batches --split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What is equal in all micro-batches is computed once if arguments alone go
// into it and it is no larger than they: a parameter in another precision. A
// gathered parameter is gathered in each of them, and broadcasts are anew.

sdy.mesh @mesh = <["fsdp"=2]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<2x3xf32>, %[[S:.*]]: tensor<3xf32>)
// CHECK:         %[[SHORT:.*]] = stablehlo.convert %[[W]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
// CHECK-NOT:     smith.all_gather
// CHECK:         %[[SUM:.*]]:2 = smith.repeat @micro_batch count = 2 with(%[[SHORT]], %[[V]], %[[S]])
// CHECK-NEXT:    return %[[SUM]]#0, %[[SUM]]#1
// CHECK-LABEL: func.func private @micro_batch(
// CHECK-SAME:    %{{.*}}: tensor<i32>, %[[SHORT:.*]]: tensor<2x3xbf16>, %[[V:.*]]: tensor<2x3xf32>, %[[S:.*]]: tensor<3xf32>,
// CHECK-DAG:     stablehlo.multiply %[[SHORT]], %{{.*}} : tensor<2x3xbf16>
// CHECK-DAG:     smith.all_gather %[[V]] over ["fsdp"] dim = 0 : tensor<2x3xf32> -> tensor<4x3xf32>
// CHECK-DAG:     stablehlo.broadcast_in_dim %[[S]], dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
func.func @main(%w: tensor<2x3xf32>, %v: tensor<2x3xf32>, %s: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<4x3xf32>) {
  %i = smith.micro_batch_index of 2 : tensor<i32>
  %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
  %short = stablehlo.convert %w : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %g = stablehlo.convert %i : (tensor<i32>) -> tensor<bf16>
  %few = stablehlo.broadcast_in_dim %g, dims = [] : (tensor<bf16>) -> tensor<2x3xbf16>
  %0 = stablehlo.multiply %short, %few : tensor<2x3xbf16>
  %long = stablehlo.convert %0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  %1 = smith.accumulate %long kind = sum : tensor<2x3xf32>
  %all = smith.all_gather %v over ["fsdp"] dim = 0 : tensor<2x3xf32> -> tensor<4x3xf32>
  %wide = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %many = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %2 = stablehlo.multiply %all, %wide : tensor<4x3xf32>
  %3 = stablehlo.multiply %2, %many : tensor<4x3xf32>
  %4 = smith.accumulate %3 kind = sum : tensor<4x3xf32>
  return %1, %4 : tensor<2x3xf32>, tensor<4x3xf32>
}

// -----

// A sum over the whole batch, and over all ranks, is taken once.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main(
// CHECK:         %[[OWN:.*]] = stablehlo.reduce(
// CHECK-NEXT:    %[[ALL:.*]] = smith.all_reduce %[[OWN]] over ["data"] kind = sum : tensor<f32>
// CHECK:         smith.repeat @micro_batch count = 2 with(%[[ALL]])
// CHECK-LABEL: func.func private @micro_batch(
// CHECK-NOT:     smith.all_reduce
func.func @main(%mask: tensor<4xf32>) -> tensor<f32> {
  %i = smith.micro_batch_index of 2 : tensor<i32>
  %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %own = stablehlo.reduce(%mask init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %all = smith.all_reduce %own over ["data"] kind = sum : tensor<f32>
  %0 = stablehlo.divide %f, %all : tensor<f32>
  %1 = smith.accumulate %0 kind = sum : tensor<f32>
  return %1 : tensor<f32>
}
