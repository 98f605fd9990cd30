// RUN: shardsmith-opt %s --reshards-to-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>

// CHECK-LABEL: @one_step
func.func @one_step(
    %0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>},
    %2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}) {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]>
  %3 = sdy.reshard %0 <@mesh, [{"y"}, {"x"}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.all_gather [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %4 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.all_slice [{}, {"z"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y", "z"}]>
  %5 = sdy.reshard %0 <@mesh, [{"x"}, {"y", "z"}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.all_to_all [{"y"}: 1->0] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]>
  %6 = sdy.reshard %0 <@mesh, [{"x", "y"}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]>
  %7 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.all_reduce max {"x"} %arg2 out_sharding=<@mesh, [{}, {}]>
  %8 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.reduce_scatter [{}, {"x"}] %arg1 out_sharding=<@mesh, [{}, {"x"}]>
  %9 = sdy.reshard %1 <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"z"} %arg0 out_sharding=<@mesh, [{"x"}, {"y"}], unreduced={"z"}>
  %10 = sdy.reshard %0 <@mesh, [{"x"}, {"y"}], unreduced={"z"}> : tensor<16x8xf32>
  // CHECK-NEXT: return
  %11 = sdy.reshard %0 <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  return
}

// Values shrink first and grow last.
// CHECK-LABEL: @several_steps
func.func @several_steps(
    %0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}>
  // CHECK-NEXT: %[[B:.*]] = sdy.all_slice [{"z"}, {}] %[[A]] out_sharding=<@mesh, [{"z"}, {"x"}], unreduced={"y"}>
  // CHECK-NEXT: sdy.reduce_scatter [{"y"}, {}] %[[B]] out_sharding=<@mesh, [{"z", "y"}, {"x"}]>
  %1 = sdy.reshard %0 <@mesh, [{"z", "y"}, {"x"}]> : tensor<16x8xf32>
  return
}
