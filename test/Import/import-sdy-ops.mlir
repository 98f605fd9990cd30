// RUN: shardsmith-opt %s --import-sdy-ops --split-input-file | FileCheck %s

// Every collective is the sharding of its result; unreduced stays unreduced.
sdy.mesh @m = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func public @collectives(
func.func public @collectives(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.sharding_constraint %arg0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[B:.*]] = sdy.sharding_constraint %[[A]] <@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]] = sdy.sharding_constraint %[[B]] <@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[D:.*]] = sdy.sharding_constraint %[[C]] <@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[E:.*]] = sdy.sharding_constraint %[[D]] <@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: %[[F:.*]] = sdy.sharding_constraint %[[E]] <@m, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[G:.*]] = sdy.sharding_constraint %[[F]] <@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: %[[H:.*]] = sdy.sharding_constraint %[[G]] <@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[I:.*]] = sdy.sharding_constraint %[[H]] <@m, [{}, {"x", ?}], replicated={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: return %[[I]]
  %0 = sdy.all_gather [{}, {"y"}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %4 = sdy.sharded_to_unreduced [{"y"}, {}] %3 out_sharding=<@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  %5 = sdy.all_reduce {"y"} %4 out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  %6 = sdy.replicated_to_unreduced {"y"} %5 out_sharding=<@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  %7 = sdy.reduce_scatter [{"y"}, {}] %6 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %8 = sdy.reshard %7 <@m, [{}, {"x", ?}], replicated={"y"}> : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}

// -----

// What Shardy notes while it propagates, and its constants.
sdy.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func public @notes(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
func.func public @notes(
    %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>, sdy.sharding_origins = {x = "self"}})
    -> (tensor<4xf32> {sdy.sharding_origins = {x = "input: 0"}, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = OPERAND-0 -> [RESULT-0]}]}]>}) {
  // CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[X]], %[[ONE]] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<4xf32>
  // CHECK-NEXT: %[[EDGE:.*]] = sdy.sharding_constraint %[[SUM]] <@m, [{"x"}]> : tensor<4xf32>
  // CHECK-NEXT: %[[ABS:.*]] = stablehlo.abs %[[EDGE]] : tensor<4xf32>
  // CHECK-NEXT: return %[[ABS]]
  %0 = sdy.constant dense<1.0> : tensor<4xf32>
  %1 = stablehlo.add %x, %0 {
      sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>,
      sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=4}>,
      sdy.sharding_origins = {x = "input: 0"}} : tensor<4xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@m, [{"x"}]> : tensor<4xf32>
  %3 = sdy.func_data_flow_edge %2 : tensor<4xf32>
  %4 = sdy.data_flow_edge %3 : tensor<4xf32>
  %5 = sdy.propagation_barrier %4 allowed_direction=FORWARD : tensor<4xf32>
  %6 = stablehlo.abs %5 : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// In a group the second argument says how all are split; other shapes and
// groups of which nothing is known stay free.
sdy.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func public @groups(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32> {{{.*}}}, %[[Z:[a-z0-9]+]]: tensor<8xf32>
func.func public @groups(%x: tensor<4xf32>, %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
                         %z: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[PIN:.*]] = sdy.sharding_constraint %[[X]] <@m, [{"x"}]> : tensor<4xf32>
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[PIN]], %[[Y]]
  // CHECK-NEXT: %[[PIN2:.*]] = sdy.sharding_constraint %[[SUM]] <@m, [{"x"}]> : tensor<4xf32>
  // CHECK-NEXT: return %[[PIN2]], %[[Z]]
  sdy.sharding_group %x group_id=7 : tensor<4xf32>
  sdy.sharding_group %y group_id=7 : tensor<4xf32>
  sdy.sharding_group %z group_id=7 : tensor<8xf32>
  sdy.sharding_group %z group_id=9223372036854775807 : tensor<8xf32>
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  sdy.sharding_group %0 group_id=7 : tensor<4xf32>
  return %0, %z : tensor<4xf32>, tensor<8xf32>
}

// -----

// JAX constrains every value of an explicit mesh, those in the bodies of
// reductions, too. Free axes of a manual computation are pinned as elsewhere.
sdy.mesh @m = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func public @regions(
func.func public @regions(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: sdy.manual_computation
  // CHECK-NEXT: %[[FREE:.*]] = sdy.sharding_constraint %{{.*}} <@m, [{}, {"y"}]> : tensor<4x4xf32>
  // CHECK-NEXT: %[[BACK:.*]] = sdy.sharding_constraint %[[FREE]] <@m, [{}, {}]> : tensor<4x4xf32>
  // CHECK-NEXT: "stablehlo.all_reduce"(%[[BACK]])
  // CHECK-NEXT: (%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>):
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[L]], %[[R]] : tensor<f32>
  // CHECK-NEXT: stablehlo.return %[[SUM]]
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x"} (%a: tensor<4x4xf32>) {
    %1 = sdy.collective_permute %a out_sharding=<@m, [{}, {"y"}]> : tensor<4x4xf32>
    %2 = sdy.all_gather [{}, {"y"}] %1 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
    %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %4 = stablehlo.add %l, %r : tensor<f32>
      %5 = sdy.sharding_constraint %4 <@m, []> : tensor<f32>
      %6 = sdy.reshard %5 <@m, []> : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    sdy.return %3 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A loop's value has the sharding of the result that it ends as.
sdy.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func public @loop(
func.func public @loop(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%i = %n, %h = %x) : tensor<i32>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"x"}]>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    // CHECK: do {
    // CHECK-NEXT: %[[H:.*]] = sdy.sharding_constraint %{{.*}} <@m, [{}]> : tensor<4xf32>
    %1 = sdy.all_gather [{"x"}] %h out_sharding=<@m, [{}]> : tensor<4xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
