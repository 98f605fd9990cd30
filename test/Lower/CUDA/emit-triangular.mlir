// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels | FileCheck %s
//
// A block has a matrix of which it finds the factor, a thread a column of what
// it solves for, both in the place of the result; test/python/test_device_matrices.py runs it.

// CHECK: gpu.func @triangular_0(%{{[a-z_0-9]+}}: memref<147xf32>, %[[L:[a-z_0-9]+]]: memref<147xf32>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK: memref.load %[[L]]
// CHECK: memref.store %{{.*}}, %[[L]]
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} to %c7_i64
// CHECK: math.sqrt
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: gpu.barrier
// CHECK: arith.cmpf uno
// CHECK: gpu.func @triangular_1(%{{[a-z_0-9]+}}: memref<147xf32>, %{{[a-z_0-9]+}}: memref<105xf32>, %[[X:[a-z_0-9]+]]: memref<105xf32>)
// CHECK-SAME: known_grid_size = array<i32: 1, 1, 1>
// CHECK: scf.for
// CHECK: memref.load %[[X]]
// CHECK: scf.for
// CHECK: memref.load %[[X]]
// CHECK: math.fma
// CHECK: arith.divf
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK-NOT: gpu.barrier
func.func @main(%a: tensor<3x7x7xf32>, %b: tensor<3x7x5xf32>) -> (tensor<3x7x7xf32>, tensor<3x7x5xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x7x7xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x7x7xf32>, tensor<3x7x5xf32>) -> tensor<3x7x5xf32>
  return %0, %1 : tensor<3x7x7xf32>, tensor<3x7x5xf32>
}
