// RUN: shardsmith-opt %s -split-input-file --split-stacked-parameters | FileCheck %s
// RUN: shardsmith-opt %s -split-input-file --split-stacked-parameters --train="optimizer=sgd momentum=0.9" | FileCheck %s --check-prefix=STEP

// Two loops over layers, of two and of three.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<2x8xf32> {smith.name = "w[0:2]", smith.role = "param", smith.rows = array<i64: 0, 2, 5>}
// CHECK-SAME: %[[B:.*]]: tensor<3x8xf32> {smith.name = "w[2:5]", smith.role = "param", smith.rows = array<i64: 2, 5, 5>}
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NOT: stablehlo.slice
// CHECK: smith.loop_slice %[[A]] loop 0 of 2
// CHECK: smith.loop_slice %[[B]] loop 1 of 3
// The optimizer's state has the same rows.
// STEP-LABEL: func.func @main(
// STEP-SAME: tensor<2x8xf32> {smith.init = "zeros", smith.name = "sgd.trace.w[0:2]", smith.role = "state", smith.rows = array<i64: 0, 2, 5>}
// STEP-SAME: tensor<3x8xf32> {smith.init = "zeros", smith.name = "sgd.trace.w[2:5]", smith.role = "state", smith.rows = array<i64: 2, 5, 5>}
// STEP-SAME: -> (tensor<2x8xf32> {smith.name = "w[0:2]", smith.role = "param"}, tensor<3x8xf32> {smith.name = "w[2:5]", smith.role = "param"}
func.func @main(%w: tensor<5x8xf32> {smith.name = "w", smith.role = "param"},
                %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %w [0:2, 0:8] : (tensor<5x8xf32>) -> tensor<2x8xf32>
  %h0 = smith.loop_carry %x loop 0 of 2 number = 0 : tensor<4x8xf32>
  %w0 = smith.loop_slice %0 loop 0 of 2 : tensor<2x8xf32> -> tensor<8xf32>
  %b0 = stablehlo.broadcast_in_dim %w0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %n0 = stablehlo.multiply %h0, %b0 {smith.stage = 0} : tensor<4x8xf32>
  %e0 = smith.loop_next %n0 for %h0 loop 0 of 2 : tensor<4x8xf32>
  %1 = stablehlo.slice %w [2:5, 0:8] : (tensor<5x8xf32>) -> tensor<3x8xf32>
  %h1 = smith.loop_carry %e0 loop 1 of 3 number = 0 : tensor<4x8xf32>
  %w1 = smith.loop_slice %1 loop 1 of 3 : tensor<3x8xf32> -> tensor<8xf32>
  %b1 = stablehlo.broadcast_in_dim %w1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %n1 = stablehlo.multiply %h1, %b1 {smith.stage = 1} : tensor<4x8xf32>
  %e1 = smith.loop_next %n1 for %h1 loop 1 of 3 : tensor<4x8xf32>
  %2 = stablehlo.reduce(%e1 init: %zero) applies stablehlo.add across dimensions = [0, 1] {smith.stage = 1} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Layers one by one, behind a conversion of all; row 3 is read by nobody and
// goes with those before it.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32> {smith.name = "w[0:4]"
// CHECK-SAME: %[[B:.*]]: tensor<1x8xf32> {smith.name = "w[4:5]"
// CHECK-DAG: %[[WA:.*]] = stablehlo.convert %[[A]] : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK-DAG: %[[WB:.*]] = stablehlo.convert %[[B]] : (tensor<1x8xf32>) -> tensor<1x8xbf16>
// CHECK: stablehlo.slice %[[WA]] [0:1, 0:8]
// CHECK: stablehlo.slice %[[WA]] [1:3, 0:8]
// CHECK: stablehlo.add %{{.*}}, %[[WB]]
// STEP-LABEL: func.func @main(
func.func @main(%w: tensor<5x8xf32> {smith.name = "w", smith.role = "param"},
                %x: tensor<1x8xbf16> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.convert %w : (tensor<5x8xf32>) -> tensor<5x8xbf16>
  %s0 = stablehlo.slice %c [0:1, 0:8] : (tensor<5x8xbf16>) -> tensor<1x8xbf16>
  %0 = stablehlo.add %x, %s0 {smith.stage = 0} : tensor<1x8xbf16>
  %s1 = stablehlo.slice %c [1:3, 0:8] : (tensor<5x8xbf16>) -> tensor<2x8xbf16>
  %1 = stablehlo.sine %s1 {smith.stage = 0} : tensor<2x8xbf16>
  %2 = stablehlo.slice %1 [0:1, 0:8] {smith.stage = 0} : (tensor<2x8xbf16>) -> tensor<1x8xbf16>
  %3 = stablehlo.add %0, %2 {smith.stage = 0} : tensor<1x8xbf16>
  %s2 = stablehlo.slice %c [4:5, 0:8] : (tensor<5x8xbf16>) -> tensor<1x8xbf16>
  %4 = stablehlo.add %3, %s2 {smith.stage = 1} : tensor<1x8xbf16>
  %5 = stablehlo.convert %4 {smith.stage = 1} : (tensor<1x8xbf16>) -> tensor<1x8xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] {smith.stage = 1} : (tensor<1x8xf32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}

// -----

// Whole: `all` is read by something that is no slice, `shared` has a row that
// two stages read, the rows of `spread` are on different ranks.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<2x8xf32> {smith.name = "all", smith.role = "param"}
// CHECK-SAME: tensor<2x8xf32> {smith.name = "shared", smith.role = "param"}
// CHECK-SAME: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, smith.name = "spread", smith.role = "param"}
// STEP-LABEL: func.func @main(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%all: tensor<2x8xf32> {smith.name = "all", smith.role = "param"},
                %shared: tensor<2x8xf32> {smith.name = "shared", smith.role = "param"},
                %spread: tensor<2x8xf32> {smith.name = "spread", smith.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %x: tensor<1x8xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a0 = stablehlo.slice %all [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %s0 = stablehlo.slice %shared [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %p0 = stablehlo.slice %spread [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %0 = stablehlo.add %x, %a0 {smith.stage = 0} : tensor<1x8xf32>
  %1 = stablehlo.add %0, %s0 {smith.stage = 0} : tensor<1x8xf32>
  %2 = stablehlo.add %1, %p0 {smith.stage = 0} : tensor<1x8xf32>
  %s1 = stablehlo.slice %shared [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %p1 = stablehlo.slice %spread [1:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %3 = stablehlo.multiply %2, %s1 {smith.stage = 1} : tensor<1x8xf32>
  %4 = stablehlo.multiply %3, %p1 {smith.stage = 1} : tensor<1x8xf32>
  %5 = stablehlo.sine %all {smith.stage = 1} : tensor<2x8xf32>
  %6 = stablehlo.concatenate %4, %5, dim = 0 {smith.stage = 1} : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1] {smith.stage = 1} : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
