// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cuda}))' | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cpu}))' | FileCheck %s --check-prefix=CPU
//
// CPU-NOT: stablehlo.transpose

// The gradient of a kernel of 3 x 3: 9 · 64 positions and 64 outputs are nine
// tiles, of sums over 32 samples and 28 x 28 places. Of up to 28 parts 16 is
// the largest that divides the samples.
// CHECK-LABEL: @gradient
// CHECK: %[[APART:.*]] = stablehlo.reshape %arg1 : (tensor<32x28x28x64xbf16>) -> tensor<16x2x28x28x64xbf16>
// CHECK: %[[MOVED:.*]] = stablehlo.transpose %[[APART]], dims = [1, 2, 3, 0, 4]
// CHECK: %[[KERNEL:.*]] = stablehlo.reshape %[[MOVED]] : (tensor<2x28x28x16x64xbf16>) -> tensor<2x28x28x1024xbf16>
// CHECK: %[[PARTIAL:.*]] = stablehlo.convolution(%arg0, %[[KERNEL]]) {{.*}}feature_group_count = 16 : i64{{.*}} -> tensor<3x3x64x1024xf32>
// CHECK: %[[SPLIT:.*]] = stablehlo.reshape %[[PARTIAL]] : (tensor<3x3x64x1024xf32>) -> tensor<3x3x64x16x64xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[SPLIT]] init: %{{.*}}) applies stablehlo.add across dimensions = [3]
// CHECK: stablehlo.convert %[[SUM]] : (tensor<3x3x64x64xf32>) -> tensor<3x3x64x64xbf16>
func.func @gradient(%x: tensor<32x28x28x64xbf16>, %dy: tensor<32x28x28x64xbf16>) -> tensor<3x3x64x64xbf16> {
  %0 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<32x28x28x64xbf16>, tensor<32x28x28x64xbf16>) -> tensor<3x3x64x64xbf16>
  return %0 : tensor<3x3x64x64xbf16>
}

// Features before space: the outputs are in front of what is split.
// CHECK-LABEL: @outputs_first
// CHECK: stablehlo.reshape %arg1 : (tensor<64x512x3x3xf32>) -> tensor<64x8x64x3x3xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2, 3, 4]
// CHECK: stablehlo.reshape %{{.*}} : (tensor<8x64x64x3x3xf32>) -> tensor<512x64x3x3xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<1x512x7x7xf32>) -> tensor<1x8x64x7x7xf32>
// CHECK: stablehlo.reduce({{.*}} across dimensions = [1]
// CHECK-NOT: stablehlo.convert
func.func @outputs_first(%x: tensor<1x512x7x7xf32>, %w: tensor<64x512x3x3xf32>) -> tensor<1x64x7x7xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x512x7x7xf32>, tensor<64x512x3x3xf32>) -> tensor<1x64x7x7xf32>
  return %0 : tensor<1x64x7x7xf32>
}

// Enough tiles, short sums, groups, few outputs, and doubles are left alone.
// CHECK-LABEL: @whole
// CHECK-NOT: stablehlo.reduce
func.func @whole(%x: tensor<64x56x56x64xf32>, %w: tensor<3x3x64x64xf32>, %y: tensor<2x8x8x16xf32>, %v: tensor<3x3x16x64xf32>, %u: tensor<3x3x32x64xf32>, %t: tensor<3x3x64x4xf32>, %z: tensor<1x8x8x64xf64>, %d: tensor<3x3x64x64xf64>, %s: tensor<1x8x8x64xf32>) -> (tensor<64x54x54x64xf32>, tensor<2x6x6x64xf32>, tensor<1x6x6x64xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x64xf64>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<64x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x54x54x64xf32>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x16xf32>, tensor<3x3x16x64xf32>) -> tensor<2x6x6x64xf32>
  %2 = stablehlo.convolution(%s, %u) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x64xf32>, tensor<3x3x32x64xf32>) -> tensor<1x6x6x64xf32>
  %3 = stablehlo.convolution(%s, %t) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x64xf32>, tensor<3x3x64x4xf32>) -> tensor<1x6x6x4xf32>
  %4 = stablehlo.convolution(%z, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x64xf64>, tensor<3x3x64x64xf64>) -> tensor<1x6x6x64xf64>
  return %0, %1, %2, %3, %4 : tensor<64x54x54x64xf32>, tensor<2x6x6x64xf32>, tensor<1x6x6x64xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x64xf64>
}
