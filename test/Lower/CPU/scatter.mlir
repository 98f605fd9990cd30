// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// Updates may collide, so threads share out columns; every unit walks over all
// updates in their order.

// The operand is copied to the result first, unless it dies there. An update
// whose position lies outside is left out.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @smith_copy
// CHECK: llvm.call @scatter_0
// CHECK: llvm.func internal @scatter_0(
// CHECK: scf.for %[[UNIT:.+]] = %arg1 to %arg2
// CHECK: %[[COLUMN:.+]] = arith.muli %[[UNIT]], %c4
// CHECK: scf.for %[[UPDATE:.+]] = %c0{{.*}} to %c3
// CHECK: %[[WHERE:.+]] = llvm.getelementptr %{{.*}}[%[[UPDATE]]]
// CHECK: %[[NUMBER:.+]] = llvm.load %[[WHERE]] {{.*}} -> i32
// CHECK: %[[ROW:.+]] = arith.extsi %[[NUMBER]] : i32 to i64
// CHECK: %[[AFTER:.+]] = arith.cmpi sge, %[[ROW]], %c0
// CHECK: %[[BEFORE:.+]] = arith.cmpi slt, %[[ROW]], %c9
// CHECK: %[[IN:.+]] = arith.andi %[[AFTER]], %[[BEFORE]]
// CHECK: scf.if %[[IN]] {
// CHECK: %[[OLD:.+]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK: %[[NEW:.+]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK: %[[SUM:.+]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: llvm.store %[[SUM]]
func.func @main(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<9x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}

// -----

// Into an operand that dies there nothing is copied.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK-NOT: llvm.call @smith_copy
// CHECK: llvm.call @scatter_0
// CHECK-NOT: llvm.call @smith_copy
// CHECK: llvm.return
func.func @main(%p: tensor<9x4xf32> {smith.name = "p", smith.role = "state"}, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> (tensor<9x4xf32> {smith.name = "p", smith.role = "state"}) {
  %0 = "stablehlo.scatter"(%p, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}

// -----

// Without a whole last dimension there are no columns: one unit, one element at
// a time. Unsigned positions are widened with zeros, and a body that returns the
// update replaces.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @scatter_0(
// CHECK-NOT: to %arg2
// CHECK: scf.for %[[UPDATE:.+]] = %c0{{.*}} to %c3
// CHECK: arith.extui {{.*}} : i32 to i64
// CHECK: scf.if
// CHECK: llvm.load {{.*}} -> f32
// CHECK: %[[NEW:.+]] = llvm.load {{.*}} -> f32
// CHECK: llvm.store %[[NEW]]
func.func @main(%x: tensor<9xf32>, %i: tensor<3x1xui32>, %u: tensor<3xf32>) -> tensor<9xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9xf32>, tensor<3x1xui32>, tensor<3xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
