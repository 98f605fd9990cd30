// RUN: shardsmith-opt %s --partition --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Of a range of 3 elements each device has those of its shard, and zero for the
// others; 10 elements on 4 devices are 3 each, and the range begins at 7 at most.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:.*]]: tensor<3x5xf32> {{{.*}}}, %[[I:.*]]: tensor<i32>
// CHECK:         %[[SHARD:.*]] = smith.shard_index over ["x"]
// CHECK:         %[[SEVEN:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK:         %[[BEGIN:.*]] = stablehlo.clamp %{{.*}}, %[[I]], %[[SEVEN]]
// CHECK:         %[[OFFSET:.*]] = stablehlo.multiply %[[SHARD]], %[[THREE:.*]] : tensor<i32>
// CHECK:         %[[OWN:.*]] = stablehlo.subtract %[[BEGIN]], %[[OFFSET]]
// CHECK:         %[[PLACE:.*]] = stablehlo.add %[[OWN]], %[[THREE]]
// CHECK:         %[[WIDE:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [3, 0], high = [3, 0], interior = [0, 0]
// CHECK:         %[[PART:.*]] = stablehlo.dynamic_slice %[[WIDE]], %[[PLACE]], %[[I]], sizes = [3, 5]
// CHECK:         %[[ALL:.*]] = smith.all_reduce %[[PART]] over ["x"] kind = sum
// CHECK:         return %[[ALL]]
sdy.mesh @mesh = <["x"=4]>
func.func @slice(%x: tensor<10x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>)
    -> (tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 5] : (tensor<10x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Devices write what they hold, and exchange nothing. Unsigned positions become
// signed ones before the offset is subtracted.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {{{.*}}}, %[[U:.*]]: tensor<3xf32>{{.*}}, %[[I:.*]]: tensor<ui8>
// CHECK:         stablehlo.convert %[[I]] : (tensor<ui8>) -> tensor<i32>
// CHECK:         %[[WIDE:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [3], high = [3], interior = [0]
// CHECK:         %[[NEW:.*]] = stablehlo.dynamic_update_slice %[[WIDE]], %[[U]], %{{.*}} : (tensor<10xf32>
// CHECK:         %[[OWN:.*]] = stablehlo.slice %[[NEW]] [3:7]
// CHECK-NOT:     smith.all
// CHECK:         return %[[OWN]]
sdy.mesh @mesh = <["x"=2]>
func.func @update(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<3xf32>, %i: tensor<ui8>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<3xf32>, tensor<ui8>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
