// RUN: shardsmith-opt %s --import-meshes --split-input-file --verify-diagnostics | FileCheck %s

// A mesh written inline gets the name of an equal one, or a new one.
// CHECK: sdy.mesh @mesh = <["x"=2]>
// CHECK: sdy.mesh @mesh_0 = <["y"=4]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @inline(
// CHECK-SAME: #sdy.sharding<@mesh, [{"x"}]>
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"y", ?}]>
sdy.mesh @mesh = <["x"=2]>
func.func public @inline(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y", ?}]>}) {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh_0, [{"y"}]>
  %0 = sdy.sharding_constraint %a <mesh<["y"=4]>, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Shardings over one device go with their meshes; results beside them keep
// theirs.
// CHECK: sdy.mesh @m = <["x"=2]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @one_device(
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
sdy.mesh @m = <["x"=2]>
// expected-remark @below {{the plan chooses where the values live that were to be on device 3 alone}}
sdy.mesh @device3 = <[], device_ids=[3]>
sdy.mesh @empty_mesh = <[]>
sdy.mesh @ones = <["x"=1, "y"=1]>
func.func public @one_device(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@device3, []>}, tensor<8xf32>) {
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<8xf32>
  // CHECK-NEXT: %[[T:.*]]:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}]>, <@m, [{"x"}]>]>} %[[S]], %[[B]]
  // CHECK-NEXT: stablehlo.custom_call @log(%[[T]]#0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: return %[[T]]#0, %[[T]]#1
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@device3, [{}]>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@device3, []> : tensor<8xf32>
  %2:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@device3, []>, <@m, [{"x"}]>]>} %1, %b : tensor<8xf32>, tensor<8xf32>
  stablehlo.custom_call @log(%2#0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@device3, []>]>} : (tensor<8xf32>) -> ()
  return %2#0, %2#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A manual computation of one device keeps its mesh.
// CHECK: sdy.mesh @one = <["x"=1]>
// CHECK-LABEL: func.func public @manual(
// CHECK: in_shardings=[<@one, [{"x"}]>]
sdy.mesh @one = <["x"=1]>
func.func public @manual(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@one, [{"x"}]>] out_shardings=[<@one, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
