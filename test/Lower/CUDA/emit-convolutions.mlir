// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// Convolutions: tiles of products whose left matrix is in no memory.
// test/python/test_device_convolutions.py runs them.

// 1568 positions are 25 tiles, 128 outputs are two; the depth is 9 places of 64
// features. Eight features of a place are one access, if the place is none of
// the padding.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution({{.*}}smith.device_function = @kernels::@convolution_0
// CHECK: gpu.func @convolution_0(%[[X:[a-z_0-9]+]]: memref<401408xbf16>, %[[W:[a-z_0-9]+]]: memref<73728xbf16>, %[[Y:[a-z_0-9]+]]: memref<200704xbf16>)
// CHECK-SAME: workgroup(%[[LEFT:[a-z_0-9]+]] : memref<1280xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[RIGHT:[a-z_0-9]+]] : memref<1280xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 50, 1, 1>
// CHECK: scf.for {{.*}} to %c576_i64{{.*}} step %c32_i64
// CHECK: gpu.barrier
// CHECK: arith.cmpi ule, {{.*}}, %c27_i64
// CHECK: scf.if
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<401408xbf16>, vector<8xbf16>
// CHECK: vector.store %{{.*}}, %[[LEFT]]
// CHECK: vector.load %[[W]][{{.*}}] {alignment = 16 : i64} : memref<73728xbf16>, vector<8xbf16>
// CHECK: memref.store %{{.*}}, %[[RIGHT]]
// CHECK: gpu.barrier
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: math.fma
func.func @main(%x: tensor<8x28x28x64xbf16>, %w: tensor<3x3x64x128xbf16>) -> tensor<8x14x14x128xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x28x28x64xbf16>, tensor<3x3x64x128xbf16>) -> tensor<8x14x14x128xbf16>
  return %0 : tensor<8x14x14x128xbf16>
}

// -----

// The gradient of its input, in f32: every other place is between elements, and
// the kernel is read from its end.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @convolution_0(%[[DY:[a-z_0-9]+]]: memref<200704xf32>, %[[W:[a-z_0-9]+]]: memref<73728xf32>, %[[DX:[a-z_0-9]+]]: memref<401408xf32>)
// CHECK-SAME: known_grid_size = array<i32: 98, 1, 1>
// CHECK: scf.for {{.*}} to %c1152_i64{{.*}} step %c32_i64
// CHECK: arith.cmpi ule, {{.*}}, %c26_i64
// CHECK: arith.remui {{.*}}, %c2_i64
// CHECK: arith.divui {{.*}}, %c2_i64
// CHECK: vector.load %[[DY]]
// CHECK: arith.subi %c2_i64
// CHECK: vector.load %[[W]]
// CHECK: math.fma
// CHECK: vector.store %{{.*}}, %[[DX]]
// CHECK-NOT: nvvm
func.func @main(%dy: tensor<8x14x14x128xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<8x28x28x64xf32> {
  %0 = stablehlo.convolution(%dy, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x14x14x128xf32>, tensor<3x3x64x128xf32>) -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}

// -----

// The gradient of its kernel: samples are what is summed, and features are
// positions, of which eight are one access.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @convolution_0(%[[X:[a-z_0-9]+]]: memref<100352xbf16>, %[[DY:[a-z_0-9]+]]: memref<50176xbf16>, %[[DW:[a-z_0-9]+]]: memref<73728xf32>)
// CHECK-SAME: known_grid_size = array<i32: 18, 1, 1>
// CHECK: scf.for {{.*}} to %c392_i64{{.*}} step %c32_i64
// CHECK: vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<100352xbf16>, vector<8xbf16>
// CHECK: vector.load %[[DY]][{{.*}}] {alignment = 16 : i64} : memref<50176xbf16>, vector<8xbf16>
// CHECK: nvvm.mma.sync
// CHECK: vector.store %{{.*}}, %[[DW]]
func.func @main(%x: tensor<2x28x28x64xbf16>, %dy: tensor<2x14x14x128xbf16>) -> tensor<3x3x64x128xf32> {
  %0 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [0, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x28x28x64xbf16>, tensor<2x14x14x128xbf16>) -> tensor<3x3x64x128xf32>
  return %0 : tensor<3x3x64x128xf32>
}

// -----

// Of a depthwise convolution a thread has one element, and neighbours are of
// neighbouring features; so it is in f64.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @convolution_0(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 147, 1, 1>
// CHECK: arith.remui {{.*}}, %c96_i64
// CHECK-NOT: gpu.barrier
// CHECK: math.fma {{.*}} : f32
// CHECK: gpu.func @convolution_1(
// CHECK-NOT: gpu.barrier
// CHECK: math.fma {{.*}} : f64
func.func @main(%x: tensor<2x14x14x96xf32>, %w: tensor<7x7x1x96xf32>, %a: tensor<2x8x9xf64>, %b: tensor<8x3x16xf64>) -> (tensor<2x14x14x96xf32>, tensor<2x9x16xf64>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[3, 3], [3, 3]]} {batch_group_count = 1 : i64, feature_group_count = 96 : i64} : (tensor<2x14x14x96xf32>, tensor<7x7x1x96xf32>) -> tensor<2x14x14x96xf32>
  %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[i, 0, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9xf64>, tensor<8x3x16xf64>) -> tensor<2x9x16xf64>
  return %0, %1 : tensor<2x14x14x96xf32>, tensor<2x9x16xf64>
}

// -----

// The gradient of a depthwise kernel: 4704 elements of 32 to a block, whose
// threads have every eighth row of the image each.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @convolution_0({{.*}}%[[DW:[a-z_0-9]+]]: memref<4704xf32>) workgroup(%[[SUMS:[a-z_0-9]+]] : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 147, 1, 1>
// CHECK: scf.for {{.*}} to %c14_i64{{.*}} step %c8_i64
// CHECK: math.fma
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[SUMS]]
// CHECK: memref.store %{{.*}}, %[[DW]]
func.func @main(%x: tensor<4x14x14x96xf32>, %dy: tensor<4x14x14x96xf32>) -> tensor<7x7x1x96xf32> {
  %0 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[3, 3], [3, 3]]} {batch_group_count = 96 : i64, feature_group_count = 1 : i64} : (tensor<4x14x14x96xf32>, tensor<4x14x14x96xf32>) -> tensor<7x7x1x96xf32>
  return %0 : tensor<7x7x1x96xf32>
}
