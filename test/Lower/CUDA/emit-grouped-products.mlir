// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// Products of rows with the matrices that they name. Blocks find the rows of
// their matrix by themselves; test/python/test_device_experts.py runs them.

// One block for each of five matrices and one for rows without any, times two
// tiles of 64 of 70 columns. Of one column of 70 in f32 nothing is a vector.
// CHECK-LABEL: func.func @main(
// CHECK: smith.grouped_dot {{.*}}smith.device_function = @kernels::@grouped_0
// CHECK: gpu.func @grouped_0(%[[X:[a-z_0-9]+]]: memref<3200xf32>, %[[G:[a-z_0-9]+]]: memref<100xi32>, %[[W:[a-z_0-9]+]]: memref<11200xf32>, %[[Y:[a-z_0-9]+]]: memref<7000xf32>)
// CHECK-SAME: workgroup(%[[ROWS:[a-z_0-9]+]] : memref<2304xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[COLUMNS:[a-z_0-9]+]] : memref<2304xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[LIST:[a-z_0-9]+]] : memref<100xi32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 12, 1, 1>
// The list of the rows.
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: memref.load %[[G]]
// CHECK: arith.minui {{.*}}, %c5_i64
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[LIST]]
// CHECK: gpu.barrier
// Zeros for those without a matrix.
// CHECK: scf.for
// CHECK: memref.load %[[LIST]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: gpu.barrier
// CHECK: memref.load %[[LIST]]
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: memref.load %[[W]]
// CHECK: memref.store %{{.*}}, %[[COLUMNS]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.load %[[COLUMNS]]
// CHECK: math.fma
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: nvvm
func.func @main(%x: tensor<100x32xf32>, %g: tensor<100xi32>, %w: tensor<5x32x70xf32>) -> tensor<100x70xf32> {
  %0 = smith.grouped_dot %x, %g, %w : (tensor<100x32xf32>, tensor<100xi32>, tensor<5x32x70xf32>) -> tensor<100x70xf32>
  return %0 : tensor<100x70xf32>
}

// -----

// Of bf16, by matrix instructions; of transposed matrices eight neighbours
// along the depth are one access.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @grouped_0(%[[X:[a-z_0-9]+]]: memref<4800xbf16>, %[[G:[a-z_0-9]+]]: memref<120xi32>, %[[W:[a-z_0-9]+]]: memref<3840xbf16>, %[[Y:[a-z_0-9]+]]: memref<1920xf32>)
// CHECK-SAME: known_grid_size = array<i32: 8, 1, 1>
// CHECK: vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<4800xbf16>, vector<8xbf16>
// CHECK: vector.bitcast {{.*}} : vector<8xbf16> to vector<4xi32>
// CHECK: vector.load %[[W]][{{.*}}] {alignment = 16 : i64} : memref<3840xbf16>, vector<8xbf16>
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: math.fma
func.func @main(%x: tensor<2x60x40xbf16>, %g: tensor<2x60xi32>, %w: tensor<2x3x16x40xbf16>) -> tensor<2x60x16xf32> {
  %0 = smith.grouped_dot %x, %g, %w transposed : (tensor<2x60x40xbf16>, tensor<2x60xi32>, tensor<2x3x16x40xbf16>) -> tensor<2x60x16xf32>
  return %0 : tensor<2x60x16xf32>
}

// -----

// The gradient of matrices: a block has a tile of one, and goes through its
// rows, of which more than 2048 are listed in parts.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @grouped_0(%[[X:[a-z_0-9]+]]: memref<200000xf32>, %[[G:[a-z_0-9]+]]: memref<5000xi32>, %[[DY:[a-z_0-9]+]]: memref<360000xf32>, %[[DW:[a-z_0-9]+]]: memref<11520xf32>)
// CHECK-SAME: memref<2048xi32, #gpu.address_space<workgroup>>
// CHECK-SAME: known_grid_size = array<i32: 8, 1, 1>
// CHECK: scf.for {{.*}} to %c5000_i64{{.*}} step %c2048_i64
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: memref.load %[[G]]
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: gpu.barrier
// CHECK: vector.load %[[X]]
// CHECK: vector.load %[[DY]]
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: vector.store %{{.*}}, %[[DW]]
func.func @main(%x: tensor<5000x40xf32>, %g: tensor<5000xi32>, %dy: tensor<5000x72xf32>) -> tensor<4x40x72xf32> {
  %0 = smith.grouped_outer %x, %g, %dy : (tensor<5000x40xf32>, tensor<5000xi32>, tensor<5000x72xf32>) -> tensor<4x40x72xf32>
  return %0 : tensor<4x40x72xf32>
}
