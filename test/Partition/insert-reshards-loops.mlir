// RUN: shardsmith-opt %s --insert-reshards --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

sdy.mesh @mesh = <["x"=2]>

// What is handed on gets the layout of what was got, whatever the plan says;
// the result is resharded as asked, after the loop.
// CHECK-LABEL: func.func @hands_on(
// CHECK:         %[[C:.*]] = smith.loop_carry %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"x"}, {}]>}
// CHECK:         %[[N:.*]] = stablehlo.transpose %[[C]]
// CHECK-NEXT:    %[[M:.*]] = sdy.reshard %[[N]] <@mesh, [{"x"}, {}]>
// CHECK-NEXT:    %[[Z:.*]] = smith.loop_next %[[M]] for %[[C]]
// CHECK-NEXT:    sdy.reshard %[[Z]] <@mesh, [{}, {"x"}]>
func.func @hands_on(%h: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %c = smith.loop_carry %h loop 0 of 5 number = 0 : tensor<4x4xf32>
  %n = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = smith.loop_next %n for %c loop 0 of 5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {"x"}]>} : tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// A layout that is asked for is that of the whole way around.
// CHECK-LABEL: func.func @asked_for(
// CHECK:         %[[H:.*]] = sdy.reshard %{{.*}} <@mesh, [{"x"}]>
// CHECK-NEXT:    %[[C:.*]] = smith.loop_carry %[[H]]
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[C]]
// CHECK-NEXT:    smith.loop_next %[[N]] for %[[C]]
func.func @asked_for(%h: tensor<4xf32>) -> tensor<4xf32> {
  %c = smith.loop_carry %h loop 0 of 5 number = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<4xf32>
  %n = stablehlo.negate %c : tensor<4xf32>
  %z = smith.loop_next %n for %c loop 0 of 5 : tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Each device has a part of what the condition is computed from; what decides
// is reduced in every iteration, so that all do as many.
// CHECK-LABEL: func.func @decided(
// CHECK:         %[[ANY:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.or
// CHECK-SAME:    unreduced=or{"x"}
// CHECK-NEXT:    %[[ALL:.*]] = sdy.reshard %[[ANY]] <@mesh, []>
// CHECK:         smith.loop_next %[[ALL]] for %{{.*}} decides loop 0 of 32
func.func @decided(%h: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %go: tensor<i1>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %g = smith.loop_carry %go loop 0 of 32 number = 0 : tensor<i1>
  %c = smith.loop_carry %h loop 0 of 32 number = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, smith.factor_axes = #smith.factor_axes<[{"x"}]>} : tensor<4xf32>
  %n = stablehlo.sine %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, smith.factor_axes = #smith.factor_axes<[{"x"}]>} : tensor<4xf32>
  %d = stablehlo.compare NE, %n, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, smith.factor_axes = #smith.factor_axes<[{"x"}]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %any = stablehlo.reduce(%d init: %false) applies stablehlo.or across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>, smith.factor_axes = #smith.factor_axes<[{"x"}]>} : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  %end = smith.loop_next %any for %g decides loop 0 of 32 : tensor<i1>
  %z = smith.loop_next %n for %c loop 0 of 32 : tensor<4xf32>
  return %z : tensor<4xf32>
}
