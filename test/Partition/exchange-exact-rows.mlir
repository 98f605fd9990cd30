// RUN: shardsmith-opt %s --split-input-file --exchange-exact-rows | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Rows that were packed and rows that are unpacked travel alone, both ways, and
// how many there are is known once.
// CHECK-LABEL: @main
// CHECK:       %[[SLOTS:.*]], %[[ENDS:.*]] = smith.place_rows
// CHECK-NEXT:  %[[THERE:.*]] = smith.all_to_all %[[ENDS]] over ["expert"] split_dim = 0 concat_dim = 1 : tensor<4x2x2xi32> -> tensor<1x8x2xi32>
// CHECK:       %[[PACKED:.*]] = smith.pack_rows
// CHECK:       smith.exchange_rows %{{.*}} sends %[[ENDS]] receives %[[THERE]] over ["expert"] expected = 24 : tensor<4x2x6x3xbf16>, {{.*}} -> tensor<1x8x6x3xbf16>
// CHECK:       smith.exchange_rows %{{.*}} sends %[[THERE]] receives %[[ENDS]] over ["expert"] expected = 24 : tensor<1x8x6x3xbf16>, {{.*}} -> tensor<4x2x6x3xbf16>
// CHECK:       smith.unpack_rows
sdy.mesh @mesh = <["expert"=4]>
func.func @main(%rows: tensor<2x12x3xf32>, %experts: tensor<2x12xi32>) -> tensor<2x12x3xf32> {
  %slots, %ends = smith.place_rows %experts count = 6 : tensor<2x12xi32> -> (tensor<2x12xi32>, tensor<4x2x2xi32>)
  %kept = stablehlo.optimization_barrier %slots : tensor<2x12xi32>
  %packed = smith.pack_rows %rows, %slots : (tensor<2x12x3xf32>, tensor<2x12xi32>) -> tensor<4x2x6x3xf32>
  %narrow = stablehlo.convert %packed : (tensor<4x2x6x3xf32>) -> tensor<4x2x6x3xbf16>
  %0 = smith.all_to_all %narrow over ["expert"] split_dim = 0 concat_dim = 1 : tensor<4x2x6x3xbf16> -> tensor<1x8x6x3xbf16>
  %there = smith.all_to_all %ends over ["expert"] split_dim = 0 concat_dim = 1 : tensor<4x2x2xi32> -> tensor<1x8x2xi32>
  %1 = stablehlo.tanh %0 : tensor<1x8x6x3xbf16>
  %2 = smith.all_to_all %1 over ["expert"] split_dim = 1 concat_dim = 0 : tensor<1x8x6x3xbf16> -> tensor<4x2x6x3xbf16>
  %wide = stablehlo.convert %2 : (tensor<4x2x6x3xbf16>) -> tensor<4x2x6x3xf32>
  %back = smith.unpack_rows %wide, %kept : (tensor<4x2x6x3xf32>, tensor<2x12xi32>) -> tensor<2x12x3xf32>
  return %back : tensor<2x12x3xf32>
}

// -----

// Ranks of a tensor axis hold columns of the rows.
// CHECK-LABEL: @main
// CHECK:       smith.exchange_rows %{{.*}} over ["expert"] expected = 24 : tensor<1x4x6x3xf32>, {{.*}} -> tensor<2x2x6x3xf32>
// CHECK-NEXT:  smith.all_gather
// CHECK-NEXT:  smith.unpack_rows
sdy.mesh @mesh = <["expert"=2, "tensor"=2]>
func.func @main(%made: tensor<1x4x6x3xf32>, %experts: tensor<2x12xi32>) -> tensor<2x12x6xf32> {
  %slots, %ends = smith.place_rows %experts count = 6 : tensor<2x12xi32> -> (tensor<2x12xi32>, tensor<2x2x2xi32>)
  %0 = smith.all_to_all %made over ["expert"] split_dim = 1 concat_dim = 0 : tensor<1x4x6x3xf32> -> tensor<2x2x6x3xf32>
  %1 = smith.all_gather %0 over ["tensor"] dim = 3 : tensor<2x2x6x3xf32> -> tensor<2x2x6x6xf32>
  %back = smith.unpack_rows %1, %slots : (tensor<2x2x6x6xf32>, tensor<2x12xi32>) -> tensor<2x12x6xf32>
  return %back : tensor<2x12x6xf32>
}

// -----

// What is changed on the way, or read by others as well, is sent whole.
// CHECK-LABEL: @main
// CHECK-NOT:   smith.exchange_rows
sdy.mesh @mesh = <["expert"=4]>
func.func @main(%rows: tensor<2x12x3xf32>, %experts: tensor<2x12xi32>) -> (tensor<2x12x3xf32>, tensor<4x2x6x3xf32>) {
  %slots, %ends = smith.place_rows %experts count = 6 : tensor<2x12xi32> -> (tensor<2x12xi32>, tensor<4x2x2xi32>)
  %packed = smith.pack_rows %rows, %slots : (tensor<2x12x3xf32>, tensor<2x12xi32>) -> tensor<4x2x6x3xf32>
  %changed = stablehlo.exponential %packed : tensor<4x2x6x3xf32>
  %0 = smith.all_to_all %changed over ["expert"] split_dim = 0 concat_dim = 1 : tensor<4x2x6x3xf32> -> tensor<1x8x6x3xf32>
  %1 = smith.all_to_all %0 over ["expert"] split_dim = 1 concat_dim = 0 : tensor<1x8x6x3xf32> -> tensor<4x2x6x3xf32>
  %back = smith.unpack_rows %1, %slots : (tensor<4x2x6x3xf32>, tensor<2x12xi32>) -> tensor<2x12x3xf32>
  return %back, %1 : tensor<2x12x3xf32>, tensor<4x2x6x3xf32>
}
