// RUN: shardsmith-opt %s --partition -split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// One row from each side. The devices at the ends get zeros, because nobody
// sends to them: nothing is masked.
// CHECK-LABEL: @window
// CHECK-NOT: stablehlo.select
// CHECK: %[[LAST:.*]] = stablehlo.slice %arg0 [3:4]
// CHECK: %[[LOW:.*]] = smith.collective_permute %[[LAST]] over ["x"] pairs = {{\[\[}}0, 1], [1, 2], [2, 3]] : tensor<1xf32>
// CHECK: %[[FIRST:.*]] = stablehlo.slice %arg0 [0:1]
// CHECK: %[[HIGH:.*]] = smith.collective_permute %[[FIRST]] over ["x"] pairs = {{\[\[}}1, 0], [2, 1], [3, 2]] : tensor<1xf32>
// CHECK: %[[RANGE:.*]] = stablehlo.concatenate %[[LOW]], %arg0, %[[HIGH]], dim = 0 : {{.*}} -> tensor<6xf32>
// CHECK: "stablehlo.reduce_window"(%[[RANGE]]
// CHECK-SAME: padding = dense<0> : tensor<1x2xi64>
// CHECK: }) : (tensor<6xf32>, tensor<f32>) -> tensor<4xf32>
func.func @window(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Zeros are not the start of this maximum: what is outside is replaced by it.
// CHECK-LABEL: @window_with_start
// CHECK: smith.collective_permute
// CHECK: smith.collective_permute
// CHECK: %[[RANGE:.*]] = stablehlo.concatenate
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.compare LT
// CHECK: %[[MASKED:.*]] = stablehlo.select {{.*}}, %[[RANGE]]
// CHECK: "stablehlo.reduce_window"(%[[MASKED]]
func.func @window_with_start(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %low = stablehlo.constant dense<-2.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Devices have 5 of 18 results and 4 of 16 elements: every message has a place
// of its own on every device.
// CHECK-LABEL: @pad
// CHECK: stablehlo.dynamic_update_slice
// CHECK: smith.collective_permute {{.*}} : tensor<2xf32>
// CHECK: %[[BUFFER:.*]] = stablehlo.dynamic_update_slice {{.*}} : (tensor<13xf32>, tensor<2xf32>, tensor<i32>) -> tensor<13xf32>
// CHECK: %[[RESULT:.*]] = stablehlo.slice %[[BUFFER]] [4:9]
// CHECK: return %[[RESULT]] : tensor<5xf32>
func.func @pad(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %value: tensor<f32>)
    -> (tensor<18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %x, %value, low = [1], high = [1], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  return %0 : tensor<18xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @reverse
// CHECK-NEXT: %[[OTHER:.*]] = smith.collective_permute %arg0 over ["x"] pairs = {{\[\[}}0, 3], [1, 2], [2, 1], [3, 0]] : tensor<3xf32>
// CHECK-NEXT: stablehlo.reverse %[[OTHER]], dims = [0] : tensor<3xf32>
func.func @reverse(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Operands are moved to where they are in the result, one half from each.
// CHECK-LABEL: @concatenate
// CHECK: smith.collective_permute
// CHECK: stablehlo.compare LT
// CHECK: stablehlo.select {{.*}} : tensor<4xi1>, tensor<4xf32>
func.func @concatenate(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Both sides would send all: one gather sends no more.
// CHECK-LABEL: @wide_window
// CHECK: %[[ALL:.*]] = smith.all_gather %arg0 over ["x"] dim = 0 : tensor<4xf32> -> tensor<8xf32>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[ALL]], {{.*}} low = [7], high = [7]
// CHECK: stablehlo.dynamic_slice %[[PADDED]], {{.*}} sizes = [18]
func.func @wide_window(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 15>, padding = dense<7> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// The gradient of a kernel: positions are summed, so devices have partial sums,
// and the row that the second device has too much is zero on both sides.
// CHECK-LABEL: @kernel_gradient
// CHECK: %[[G:.*]] = stablehlo.select {{.*}}, %arg1, {{.*}} : tensor<1x4x1xi1>, tensor<1x4x1xf32>
// CHECK: %[[RANGE:.*]] = stablehlo.concatenate {{.*}} -> tensor<1x6x1xf32>
// CHECK: %[[X:.*]] = stablehlo.select {{.*}}, %[[RANGE]]
// CHECK: %[[DW:.*]] = stablehlo.convolution(%[[X]], %[[G]]) {{.*}} window = {pad = {{\[\[}}0, 0]]{{.*}} -> tensor<3x1x1xf32>
// CHECK: smith.all_reduce %[[DW]] over ["x"] kind = sum
func.func @kernel_gradient(%x: tensor<1x7x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                           %g: tensor<1x7x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<3x1x1xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x1xf32>, tensor<1x7x1xf32>) -> tensor<3x1x1xf32>
  return %0 : tensor<3x1x1xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Each device has two of four groups.
// CHECK-LABEL: @groups
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1) {{.*}} feature_group_count = 2 : i64{{.*}} : (tensor<8x5x2xf32>, tensor<3x1x2xf32>) -> tensor<8x3x2xf32>
func.func @groups(%x: tensor<8x5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>},
                  %k: tensor<3x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>})
    -> (tensor<8x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<8x5x4xf32>, tensor<3x1x4xf32>) -> tensor<8x3x4xf32>
  return %0 : tensor<8x3x4xf32>
}
