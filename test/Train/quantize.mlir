// RUN: shardsmith-opt %s --split-input-file --train='optimizer=sgd learning-rate=0.5 compute-dtype=f8' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING < %t
// SPDX-License-Identifier: Apache-2.0

// A product of a layer, and those of its derivatives: values in f8E4M3FN, each
// once, the gradient of the result in f8E5M2, its scale a power of two.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor<32x48xf32>
// CHECK-SAME:  %[[X:[^:]*]]: tensor<16x32xf32>
// CHECK-DAG:   %[[STEP:.*]] = stablehlo.constant dense<3.906250e-03> : tensor<f32>
// CHECK-DAG:   %[[EXPONENT:.*]] = stablehlo.constant dense<2139095040> : tensor<i32>
// CHECK-DAG:   %[[ABOVE:.*]] = stablehlo.constant dense<2097151> : tensor<i32>
// CHECK:       %[[A:.*]] = stablehlo.convert %{{.*}} : (tensor<16x32xf32>) -> tensor<16x32xbf16>
// CHECK:       %[[MAGNITUDE:.*]] = stablehlo.abs %[[A]]
// CHECK:       %[[LARGEST:.*]] = stablehlo.reduce(%[[MAGNITUDE]] {{.*}} applies stablehlo.maximum across dimensions = [0, 1]
// CHECK:       %[[BITS:.*]] = stablehlo.bitcast_convert %{{.*}} : (tensor<f32>) -> tensor<i32>
// CHECK:       %[[NEXT:.*]] = stablehlo.add %[[BITS]], %[[ABOVE]]
// CHECK:       %[[POWER_BITS:.*]] = stablehlo.and %[[NEXT]], %[[EXPONENT]]
// CHECK:       %[[POWER:.*]] = stablehlo.bitcast_convert %[[POWER_BITS]]
// CHECK:       %[[SCALE_A:.*]] = stablehlo.multiply %[[POWER]], %[[STEP]]
// CHECK:       %[[A8:.*]] = stablehlo.convert %{{.*}} : (tensor<16x32xf32>) -> tensor<16x32xf8E4M3FN>
// CHECK:       %[[W8:.*]] = stablehlo.convert %{{.*}} : (tensor<32x48xf32>) -> tensor<32x48xf8E4M3FN>
// CHECK:       %[[PRODUCT:.*]] = stablehlo.dot_general %[[A8]], %[[W8]], {{.*}} -> tensor<16x48xf32>
// CHECK:       %[[SCALE:.*]] = stablehlo.multiply %[[SCALE_A]], %{{.*}} : tensor<f32>
// CHECK:       %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[SCALE]], dims = []
// CHECK:       %[[SCALED:.*]] = stablehlo.multiply %[[PRODUCT]], %[[SPREAD]]
// CHECK:       stablehlo.convert %[[SCALED]] : (tensor<16x48xf32>) -> tensor<16x48xbf16>
// CHECK:       %[[G8:.*]] = stablehlo.convert %{{.*}} : (tensor<16x48xf32>) -> tensor<16x48xf8E5M2>
// CHECK:       stablehlo.dot_general %[[A8]], %[[G8]], contracting_dims = [0] x [0] : {{.*}} -> tensor<32x48xf32>
// CHECK-NOT:   smith.quantize
func.func @main(%w: tensor<32x48xf32> {smith.role = "param", smith.name = "w"}, %x: tensor<16x32xf32> {smith.role = "batch", smith.name = "x"}) -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.tanh %x : tensor<16x32xf32>
  %y = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %z = stablehlo.multiply %y, %y : tensor<16x48xf32>
  %l = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x48xf32>, tensor<f32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// With batch dimensions, as scores of attention are, it stays in bf16; so does
// a product of which one size is no multiple of 16.

// WARNING: warning: no product multiplies floats of eight bits: none is of a layer with sizes that are multiples of 16
// WARNING-NOT: warning
// CHECK-LABEL: @main
// CHECK-NOT:   f8E
func.func @main(%w: tensor<32x40xf32> {smith.role = "param", smith.name = "w"}, %x: tensor<16x32xf32> {smith.role = "batch", smith.name = "x"}) -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x40xf32>) -> tensor<16x40xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<16x40xf32>) -> tensor<16x16x40xf32>
  %c = stablehlo.dot_general %b, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<16x16x40xf32>, tensor<16x16x40xf32>) -> tensor<16x40x40xf32>
  %l = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<16x40x40xf32>, tensor<f32>) -> tensor<f32>
  return %l : tensor<f32>
}
