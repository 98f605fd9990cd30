// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// Positions are merged in shared memory, which has room for them twice: 12
// runs of 21 elements in a block. test/python/test_device_sorts.py runs it.

// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.sort"
// CHECK: smith.device_function = @kernels::@sort_0
// CHECK: gpu.func @sort_0(%[[X:[a-z_0-9]+]]: memref<630xbf16>, %[[I:[a-z_0-9]+]]: memref<630xi32>, %[[Y:[a-z_0-9]+]]: memref<630xbf16>, %[[J:[a-z_0-9]+]]: memref<630xi32>)
// CHECK-SAME: workgroup(%[[ORDER:[a-z_0-9]+]] : memref<504xi32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK: memref.store %{{.*}}, %[[ORDER]]
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} to %c5_i64
// CHECK: scf.for {{.*}} step %c256_i64
// CHECK: scf.for
// CHECK: memref.load %[[ORDER]]
// CHECK: memref.load %[[X]]
// CHECK: arith.cmpf olt
// CHECK: memref.store %{{.*}}, %[[ORDER]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: memref.load %[[I]]
// CHECK: memref.store %{{.*}}, %[[J]]
func.func @main(%x: tensor<5x21x6xbf16>, %i: tensor<5x21x6xi32>) -> (tensor<5x21x6xbf16>, tensor<5x21x6xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x21x6xbf16>, tensor<5x21x6xi32>) -> (tensor<5x21x6xbf16>, tensor<5x21x6xi32>)
  return %0#0, %0#1 : tensor<5x21x6xbf16>, tensor<5x21x6xi32>
}

// -----

// Longer runs are merged in the device's memory, where threads do not meet.
// CHECK-LABEL: func.func @main(
// CHECK: smith.sort_runs({{.*}} from = 1 to = 2048 {{.*}}@sort_0
// CHECK: smith.sort_runs({{.*}} from = 2048 to = 4096 {{.*}}@sort_1
// CHECK: gpu.func @sort_0({{.*}}memref<4096xi32, #gpu.address_space<workgroup>>
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK: gpu.func @sort_1({{.*}}) kernel attributes
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 12, 1, 1>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @main(%x: tensor<3000xi64>) -> tensor<3000xi64> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3000xi64>) -> tensor<3000xi64>
  return %0 : tensor<3000xi64>
}
