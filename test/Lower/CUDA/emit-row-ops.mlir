// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// Rows of experts; test/python/test_device_experts.py runs these functions.

// A warp for each of four experts of three samples, and one of each sample for
// rows without any: fifteen warps, four in a block. The sum of what comes before
// takes ten shuffles for each of two counts, as does every search.
// CHECK-LABEL: func.func @main(
// CHECK: smith.place_rows {{.*}}smith.device_function = @kernels::@place_rows_0
// CHECK: gpu.func @place_rows_0(%[[E:[a-z_0-9]+]]: memref<210xi32>, %[[SLOTS:[a-z_0-9]+]]: memref<210xi32>, %[[ENDS:[a-z_0-9]+]]: memref<12xi32>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 1, 1>
// CHECK: arith.cmpi slt, %{{.*}}, %c15_i64
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: memref.load %[[E]]
// CHECK: arith.minui {{.*}}, %c4_i64
// CHECK-COUNT-20: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[ENDS]]
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: memref.load %[[E]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[SLOTS]]
func.func @main(%e: tensor<3x70xi32>) -> (tensor<3x70xi32>, tensor<2x3x2xi32>) {
  %slots, %ends = smith.place_rows %e count = 50 : tensor<3x70xi32> -> (tensor<3x70xi32>, tensor<2x3x2xi32>)
  return %slots, %ends : tensor<3x70xi32>, tensor<2x3x2xi32>
}

// -----

// A block has 32 of a sample's 100 slots, notes which row each gets, and copies
// eight neighbours at a time.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @move_rows_0(%[[X:[a-z_0-9]+]]: memref<3360xbf16>, %[[S:[a-z_0-9]+]]: memref<210xi32>, %[[P:[a-z_0-9]+]]: memref<4800xbf16>)
// CHECK-SAME: workgroup(%[[ROW:[a-z_0-9]+]] : memref<32xi32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 12, 1, 1>
// CHECK: memref.store %{{.*}}, %[[ROW]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[S]]
// CHECK: arith.cmpi ult
// CHECK: memref.store %{{.*}}, %[[ROW]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[ROW]]
// CHECK: vector.load %[[X]][{{.*}}] {alignment = 16 : i64}
// CHECK: vector.store %{{.*}}, %[[P]][{{.*}}] {alignment = 16 : i64}
func.func @main(%x: tensor<3x70x16xbf16>, %s: tensor<3x70xi32>) -> tensor<2x3x50x16xbf16> {
  %0 = smith.pack_rows %x, %s : (tensor<3x70x16xbf16>, tensor<3x70xi32>) -> tensor<2x3x50x16xbf16>
  return %0 : tensor<2x3x50x16xbf16>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @move_rows_0(%[[P:[a-z_0-9]+]]: memref<4800xf32>, %[[S:[a-z_0-9]+]]: memref<210xi32>, %[[X:[a-z_0-9]+]]: memref<3360xf32>)
// CHECK: memref.load %[[S]]
// CHECK: vector.load %[[P]]
// CHECK: vector.store %{{.*}}, %[[X]]
// CHECK-NOT: gpu.barrier
func.func @main(%p: tensor<2x3x50x16xf32>, %s: tensor<3x70xi32>) -> tensor<3x70x16xf32> {
  %0 = smith.unpack_rows %p, %s : (tensor<2x3x50x16xf32>, tensor<3x70xi32>) -> tensor<3x70x16xf32>
  return %0 : tensor<3x70x16xf32>
}

// -----

// A warp has an expert of a sample, or the rows of none: 51 in all. Counters are
// the last argument, one for each warp.
// CHECK-LABEL: func.func @main(
// CHECK: smith.limit_rows {{.*}} counts copies ["expert"] {{.*}}smith.device_function = @kernels::@limit_rows_0
// CHECK: smith.limit_rows {{.*}}smith.device_function = @kernels::@limit_rows_1
// CHECK: gpu.func @limit_rows_0(%[[E:[a-z_0-9]+]]: memref<900xi32>, %[[K:[a-z_0-9]+]]: memref<900xi32>, %[[C:[a-z_0-9]+]]: memref<51xi32>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 13, 1, 1>
// CHECK: scf.for {{.*}} to %c300_i64 step %c32_i64
// CHECK: memref.load %[[E]]
// CHECK: arith.minui
// CHECK: arith.cmpi eq
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: arith.cmpi sge, %{{.*}}, %c4_i64
// CHECK: memref.store %{{.*}}, %[[K]]
// CHECK: memref.load %[[C]]
// CHECK: memref.store %{{.*}}, %[[C]]
// CHECK: gpu.func @limit_rows_1(%{{[a-z_0-9]+}}: memref<900xi32>, %{{[a-z_0-9]+}}: memref<900xi32>)
// CHECK: memref.store
// CHECK-NOT: memref.store
sdy.mesh @mesh = <["expert"=2]>
func.func @main(%e: tensor<3x300xi32>) -> (tensor<3x300xi32>, tensor<3x300xi32>) {
  %0 = smith.limit_rows %e among = 16 capacity = 4 counts copies ["expert"] : tensor<3x300xi32>
  %1 = smith.limit_rows %0 among = 16 capacity = 2 : tensor<3x300xi32>
  return %0, %1 : tensor<3x300xi32>, tensor<3x300xi32>
}
