// RUN: shardsmith-opt %s --simplify-meshes --split-input-file --verify-diagnostics | FileCheck %s

// An axis is cut where some part of it begins or ends; the other keeps its
// name. Whole axes stand for all their parts.
// CHECK: sdy.mesh @m = <["x_0"=2, "x_1"=2, "x_2"=3, "y"=2]>
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: sdy.sharding = #sdy.sharding<@m, [{"x_1"}, {"y", "x_0"}]>
// CHECK-SAME: sdy.sharding = #sdy.sharding<@m, [{"x_0", "x_1", "x_2", ?}p1, {}]>
// CHECK-SAME: -> (tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x_0", "x_1"}, {}], replicated={"x_2", "y"}>})
sdy.mesh @m = <["x"=12, "y"=2]>
func.func public @main(
    %a: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)2}, {"y", "x":(1)2}]>},
    %b: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}p1, {}]>})
    -> (tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)4}, {}], replicated={"x":(4)3, "y"}>}) {
  // CHECK: sdy.sharding_constraint %{{.*}} <@m, [{}, {"x_1"}], unreduced=max{"x_0"}>
  // CHECK: stablehlo.add {{.*}}[<@m, [{"x_0"}, {}]>]
  %0 = sdy.sharding_constraint %a <@m, [{}, {"x":(2)2}], unreduced=max{"x":(1)2}> : tensor<12x4xf32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x":(1)2}, {}]>]>} : tensor<12x4xf32>
  return %1 : tensor<12x4xf32>
}

// -----

// The new names are free.
// CHECK: sdy.mesh @m = <["x_0_"=2, "x_1"=2, "x_0"=2]>
// CHECK: [{"x_0_"}, {"x_0"}]
sdy.mesh @m = <["x"=4, "x_0"=2]>
func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {"x_0"}]>}) {
  return
}

// -----

// Devices in column-major order: the axes change places, their names stay. An
// axis of one device splits nothing.
// CHECK: sdy.mesh @m = <["b"=4, "a"=2, "c"=1]>
// CHECK: <@m, [{"a"}, {"b"}]>
// CHECK: <@m, [{}, {?}p1], replicated={"b"}>
sdy.mesh @m = <["a"=2, "b"=4, "c"=1], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
func.func public @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}], replicated={"c"}>},
                       %y: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}p0, {?}p1], replicated={"b"}>}) {
  return
}

// -----

// An axis whose parts change places, once they are axes.
// CHECK: sdy.mesh @m = <["x_1"=2, "x_0"=2]>
// CHECK: [{"x_0", "x_1"}, {}]
// CHECK: [{"x_1"}, {}]
sdy.mesh @m = <["x"=4], device_ids=[0, 2, 1, 3]>
func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                       %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)2}, {}]>}) {
  return
}

// -----

// Whole axes and one device stay as they are.
// CHECK: sdy.mesh @one = <[], device_ids=[3]>
// CHECK: sdy.mesh @m = <["a"=2, "b"=4]>
// CHECK: [{"a"}, {"b"}]
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @m = <["a"=2, "b"=4]>
func.func public @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) {
  return
}

// -----

// No order of the axes: the order is dropped, in all meshes alike.
// CHECK: sdy.mesh @m = <["a"=2, "b"=2]>
// CHECK: sdy.mesh @n = <["all"=4]>
// CHECK: sdy.mesh @t = <["q"=2, "p"=2]>
// expected-remark @below {{devices are numbered in the order of this mesh; how ranks are placed decides which device holds which shard}}
sdy.mesh @m = <["a"=2, "b"=2], device_ids=[3, 1, 0, 2]>
sdy.mesh @n = <["all"=4], device_ids=[3, 1, 0, 2]>
sdy.mesh @t = <["p"=2, "q"=2], device_ids=[3, 0, 1, 2]>
func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) {
  return
}
