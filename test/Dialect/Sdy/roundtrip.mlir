// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s -mlir-print-op-generic | shardsmith-opt | FileCheck %s

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
// CHECK: sdy.mesh @permuted = <["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>
sdy.mesh @permuted = <["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>
// The identity is not written.
// CHECK: sdy.mesh @identity = <["a"=2]>
sdy.mesh @identity = <["a"=2], device_ids=[0, 1]>
// CHECK: sdy.mesh @device3 = <[], device_ids=[3]>
sdy.mesh @device3 = <[], device_ids=[3]>
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>

// CHECK-LABEL: @shardings
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}p2]>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(2)2}]>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}, unreduced={"z"}>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y", "z"}>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<mesh<["q"=2]>, [{"q"}, {}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
func.func @shardings(
    %0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    %2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}p2]>},
    %3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(2)2}]>},
    %4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}, unreduced={"z"}>},
    %5: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y", "z"}>},
    %6: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=2]>, [{"q"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: stablehlo.add %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  %7 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// CHECK-LABEL: @annotations
func.func @annotations(%0: tensor<8x8xf32>) {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  // CHECK: sdy.reshard %{{.*}} <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %2 group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=FORWARD : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=FORWARD : tensor<8x8xf32>
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
  %4 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
  return
}

// CHECK-LABEL: @regions
func.func @regions(%0: tensor<8x2xi32>, %1: tensor<16x32xf32>) {
  // CHECK: sdy.named_computation<"foo">(%{{.*}}) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%{{.*}}: tensor<8x2xi32>) {
  // CHECK:   sdy.return %{{.*}} : tensor<8x2xi32>
  // CHECK: } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  %2 = sdy.named_computation<"foo">(%0) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%arg1: tensor<8x2xi32>) {
    sdy.return %arg1 : tensor<8x2xi32>
  } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%{{.*}}: tensor<8x32xf32>) {
  // CHECK: } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<8x32xf32>) {
    sdy.return %arg1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// CHECK-LABEL: @collectives
func.func @collectives(
    %0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>},
    %2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}) {
  // CHECK: sdy.all_gather [{}, {"x"}] %{{.*}} out_sharding=<@mesh, [{"y"}, {}]> : tensor<16x8xf32>
  %3 = sdy.all_gather [{}, {"x"}] %0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<16x8xf32>
  // A part of an axis may stay.
  // CHECK: sdy.all_gather [{"y":(2)2}, {}] %{{.*}} out_sharding=<@mesh, [{"y":(1)2}, {"x"}]>
  %4 = sdy.all_gather [{"y":(2)2}, {}] %0 out_sharding=<@mesh, [{"y":(1)2}, {"x"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_slice [{}, {"z"}] %{{.*}} out_sharding=<@mesh, [{"y"}, {"x", "z"}]>
  %5 = sdy.all_slice [{}, {"z"}] %0 out_sharding=<@mesh, [{"y"}, {"x", "z"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_to_all [{"x"}: 1->0] %{{.*}} out_sharding=<@mesh, [{"y", "x"}, {}]>
  %6 = sdy.all_to_all [{"x"}: 1->0] %0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@mesh, [{"z"}, {"x"}]>
  %7 = sdy.collective_permute %0 out_sharding=<@mesh, [{"z"}, {"x"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_reduce {"x"} %{{.*}} out_sharding=<@mesh, [{}, {}]>
  %8 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.all_reduce max {"x"} %{{.*}} out_sharding=<@mesh, [{}, {}]>
  %9 = sdy.all_reduce max {"x"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.reduce_scatter [{"x"}, {}] %{{.*}} out_sharding=<@mesh, [{"x"}, {}]>
  %10 = sdy.reduce_scatter [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{"y"}, {}] %{{.*}} out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}>
  %11 = sdy.sharded_to_unreduced [{"y"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}> : tensor<16x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"z"} %{{.*}} out_sharding=<@mesh, [{"y"}, {"x"}], unreduced={"z"}>
  %12 = sdy.replicated_to_unreduced {"z"} %0 out_sharding=<@mesh, [{"y"}, {"x"}], unreduced={"z"}> : tensor<16x8xf32>
  return
}

// A permutation of devices.
// CHECK: sdy.mesh @reversed = <["x"=2, "y"=4, "z"=4], device_ids=[31,
sdy.mesh @reversed = <["x"=2, "y"=4, "z"=4], device_ids=[31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK-LABEL: @permutation
func.func @permutation(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@reversed, [{"x"}]>
  %1 = sdy.collective_permute %0 out_sharding=<@reversed, [{"x"}]> : tensor<8xf32>
  return
}

// CHECK-LABEL: @rules
// CHECK-SAME: a = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}>
// CHECK-SAME: b = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>
// CHECK-SAME: c = #sdy.op_sharding_rule<([i, j, k, l])->([i, k, l]) {i=2, j=3, k=5, l=7} reduction={j} need_replication={i, l} permutation={k} blocked_propagation={l}, custom>
// CHECK-SAME: d = #sdy.op_sharding_rule<([], [])->([])>
func.func @rules() attributes {
    a = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}>,
    b = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>,
    c = #sdy.op_sharding_rule<([i, j, k, l])->([i, k, l]) {i=2, j=3, k=5, l=7} reduction={j} need_replication={i, l} permutation={k} blocked_propagation={l}, custom>,
    d = #sdy.op_sharding_rule<([], [])->([])>} {
  return
}

// Attributes in full where others write their bodies, and by an alias.
// CHECK-LABEL: @in_full
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
#rows = #sdy.sharding<@mesh, [{"x"}, {}]>
func.func @in_full(%0: tensor<8x8xf32> {sdy.sharding = #rows}, %1: tensor<16x32xf32>) {
  // CHECK: stablehlo.add %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  %2 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_gather [{"x"}, {}] %{{.*}} out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = sdy.all_gather [{"x"}, {}] %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"}
  %5 = sdy.manual_computation(%1) in_shardings=[#sdy.sharding<@mesh, [{"x"}, {}]>] out_shardings=[#rows] manual_axes={"x"} (%arg1: tensor<8x32xf32>) {
    sdy.return %arg1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return {sdy.sharding = #sdy.sharding_per_value<[]>}
}
// CHECK: sdy.mesh @in_full_too = <["x"=2]> {stablehlo.mesh = {axes = []}}
sdy.mesh @in_full_too = #sdy.mesh<["x"=2]> {stablehlo.mesh = {axes = []}}

// What Shardy notes while it propagates; an op without results may be on one
// device.
// CHECK-LABEL: @propagation
// CHECK-SAME: {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = OPERAND-1 -> [OPERAND-0, RESULT-1]}]}, {step-12345 = [{"x":(2)1 = RESULT-0 -> [RESULT-1]}]}]>
// CHECK-SAME: sdy.sharding_origins = {x = "self", y = "input: 1"}
func.func @propagation(%0: tensor<8xf32> {
    sdy.sharding_origins = {x = "self", y = "input: 1"},
    sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = OPERAND-1 -> [OPERAND-0, RESULT-1]}]}, {step-12345 = [{"x":(2)1 = RESULT-0 -> [RESULT-1]}]}]>}) {
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}} : tensor<8xf32>
  %3 = sdy.func_data_flow_edge %2 : tensor<8xf32>
  // CHECK: stablehlo.custom_call @log(%{{.*}}) {{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@device3, []>]>}
  stablehlo.custom_call @log(%3) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@device3, []>]>} : (tensor<8xf32>) -> ()
  return
}
