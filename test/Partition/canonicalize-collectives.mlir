// RUN: shardsmith-opt %s --canonicalize-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// CHECK-LABEL: @no_effect
func.func @no_effect(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: return %arg0
  %1 = sdy.all_gather [{}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.all_reduce {} %2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.reduce_scatter [{}, {}] %3 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %5 = sdy.collective_permute %4 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// CHECK-LABEL: @slice_of_gather
func.func @slice_of_gather(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: return %arg0
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: @slice_of_reduce
func.func @slice_of_reduce(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {}]>}) {
  // CHECK-NEXT: %[[R:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
  // CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[R]] out_sharding=<@mesh, [{"x"}, {}]>
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{"z"}, {}] %[[S]] out_sharding=<@mesh, [{"x", "z"}, {}]>
  // CHECK-NEXT: return %[[A]]
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"x", "z"}, {}] %1 out_sharding=<@mesh, [{"x", "z"}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// The slice starts with an axis that was not reduced: nothing to merge.
// CHECK-LABEL: @slice_in_other_order
func.func @slice_in_other_order(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}) {
  // CHECK-NEXT: sdy.all_reduce
  // CHECK-NEXT: sdy.all_slice
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"z", "x"}, {}] %1 out_sharding=<@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// The reduced value has another use: scattering besides would send more.
// CHECK-LABEL: @reduced_value_is_used
func.func @reduced_value_is_used(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>})
    -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: sdy.all_reduce
  // CHECK-NEXT: sdy.all_slice
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Three elements in two shards are 2 and 1; in eight shards 1 each, four of
// which are no shard of 2.
// CHECK-LABEL: @slice_that_does_not_nest
func.func @slice_that_does_not_nest(%0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
    -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}]>}) {
  // CHECK-NEXT: sdy.all_reduce
  // CHECK-NEXT: sdy.all_slice
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  %2 = sdy.all_slice [{"x", "y", "z"}] %1 out_sharding=<@mesh, [{"x", "y", "z"}]> : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// CHECK-LABEL: @all_to_alls
func.func @all_to_alls(%0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>})
    -> (tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}) {
  // CHECK-NEXT: sdy.all_to_all [{"x"}: 0->2, {"y"}: 1->3] %arg0 out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]>
  // CHECK-NEXT: return
  %1 = sdy.all_to_all [{"y"}: 1->3] %0 out_sharding=<@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %2 = sdy.all_to_all [{"x"}: 0->2] %1 out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
  return %2 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: @reduce_of_unreduced
func.func @reduce_of_unreduced(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32>) {
  %1 = sdy.replicated_to_unreduced {"y"} %0 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]>
  // CHECK-NEXT: return %arg0, %[[G]]
  %3 = sdy.sharded_to_unreduced [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @reduces
func.func @reduces(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>},
                   %1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>})
    -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}]>
  %2 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  %3 = sdy.all_reduce {"y"} %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // Kinds differ: both stay.
  // CHECK-NEXT: sdy.all_reduce max {"x"}
  // CHECK-NEXT: sdy.all_reduce {"y"}
  %4 = sdy.all_reduce max {"x"} %1 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %5 = sdy.all_reduce {"y"} %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %3, %5 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @reshards
func.func @reshards(%0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"y"}]>
  // CHECK-NEXT: return
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{"y"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
