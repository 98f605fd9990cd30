// RUN: shardsmith-opt %s --import-sharding-constraints --split-input-file | FileCheck %s

// Two ways to split eight devices; the mesh is fine enough for both.
// CHECK: sdy.mesh @mesh = <["axis0"=2, "axis1"=2, "axis2"=2]>
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis0", "axis1", "axis2"}, {}]>}
// CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
func.func public @main(%x: tensor<8x4xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"})
    -> (tensor<8x4xf32> {mhlo.sharding = "{replicated}"}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{"axis0"}, {"axis1", "axis2"}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{}, {"axis1", "axis2"}]>
  // CHECK-NEXT: %[[C:.*]] = sdy.sharding_constraint %[[B]] <@mesh, [{"axis2", "axis0"}, {?}]>
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[2,2,2]T(2,0,1) last_tile_dims={replicated}}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// A mesh that is there keeps its axes' names.
// CHECK: sdy.mesh @devices = <["data"=2, "model"=3]>
// CHECK-NOT: sdy.mesh
sdy.mesh @devices = <["data"=2, "model"=3]>
func.func public @main(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@devices, [{"data", "model"}, {}]>
  // CHECK: sdy.sharding_constraint %{{.*}} <@devices, [{"model"}, {}]>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[6,1]0,1,2,3,4,5}"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// -----

// An axis of one device splits nothing, wherever it stands.
sdy.mesh @devices = <["one"=1, "data"=2, "alone"=1, "model"=3, "last"=1]>
func.func public @main(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@devices, [{"data", "model"}, {}]>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[6,1]0,1,2,3,4,5}"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
