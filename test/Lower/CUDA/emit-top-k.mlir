// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// A warp has a row, and takes the largest rank that is left, k times. A thread
// keeps the ranks of two elements here;
// test/python/test_device_experts.py runs it.

// CHECK-LABEL: func.func @main(
// CHECK: chlo.top_k({{.*}}smith.device_function = @kernels::@top_k_0
// CHECK: gpu.func @top_k_0(%[[X:[a-z_0-9]+]]: memref<222xbf16>, %[[V:[a-z_0-9]+]]: memref<30xbf16>, %[[I:[a-z_0-9]+]]: memref<30xi32>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK: memref.load %[[X]]
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
// CHECK: arith.shli
// CHECK: memref.load %[[X]]
// CHECK: scf.for {{.*}} to %c5_i64{{.*}} iter_args(%[[LIMIT:[a-z_0-9]+]] =
// CHECK-NOT: memref.load
// CHECK-COUNT-2: arith.cmpi sle, %{{.*}}, %[[LIMIT]]
// CHECK: arith.maxsi
// CHECK-NOT: memref.load
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}}, %[[V]]
// CHECK: memref.store %{{.*}}, %[[I]]
// CHECK-NOT: gpu.barrier
func.func @main(%x: tensor<2x3x37xbf16>) -> (tensor<2x3x5xbf16>, tensor<2x3x5xi32>) {
  %0:2 = chlo.top_k(%x, k = 5) : tensor<2x3x37xbf16> -> (tensor<2x3x5xbf16>, tensor<2x3x5xi32>)
  return %0#0, %0#1 : tensor<2x3x5xbf16>, tensor<2x3x5xi32>
}

// -----

// Of rows longer than 512 each is read again.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @top_k_0(%[[X:[a-z_0-9]+]]:
// CHECK: scf.for {{.*}} to %c5_i64{{.*}} iter_args(%[[LIMIT:[a-z_0-9]+]] =
// CHECK: scf.for {{.*}} to %c513_i64{{.*}} step %c32_i64
// CHECK: memref.load %[[X]]
// CHECK: arith.cmpi sle, %{{.*}}, %[[LIMIT]]
// CHECK: arith.maxsi
func.func @main(%x: tensor<4x513xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %0:2 = chlo.top_k(%x, k = 5) : tensor<4x513xf32> -> (tensor<4x5xf32>, tensor<4x5xi32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xi32>
}

// -----

// Integers are their own order, of unsigned ones from the smallest on.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @top_k_0(
// CHECK-NOT: arith.cmpf
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK: arith.addi %{{.*}}, %c-2147483648_i64
func.func @main(%x: tensor<4x8xui32>) -> (tensor<4x2xui32>, tensor<4x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4x8xui32> -> (tensor<4x2xui32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xui32>, tensor<4x2xi32>
}
