// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// Ops that move elements are changes of an index. Where the index stays affine
// in the lane with step 1 the load is one of a vector, with step 0 one of a
// scalar; otherwise it is a gather. In every test %[[ROW]] and %[[COLUMN]] are
// the counters of the loops over the result.

// A row that is repeated: the position does not depend on the outer loop.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: scf.for %[[COLUMN:.+]] = %c0
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.*}}[%[[COLUMN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.load %[[AT]] {{.*}} -> vector<8xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// One element per row: a scalar, repeated over the lanes.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.*}}[%[[ROW]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: %[[ONE:.+]] = llvm.load %[[AT]] {{.*}} -> f32
// CHECK: vector.broadcast %[[ONE]] : f32 to vector<8xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Neighbouring lanes of a transpose are a row apart: column · 8 + row + 8 · lane.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: scf.for %[[COLUMN:.+]] = %c0
// CHECK: %[[DOWN:.+]] = arith.muli %[[COLUMN]], %c8
// CHECK: %[[FIRST:.+]] = arith.addi %[[DOWN]], %[[ROW]]
// CHECK: %[[STEPS:.+]] = arith.constant dense<[0, 8, 16, 24]> : vector<4xi64>
// CHECK: %[[FIRSTS:.+]] = vector.broadcast %[[FIRST]]
// CHECK: %[[ALL:.+]] = arith.addi %[[FIRSTS]], %[[STEPS]]
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.*}}[%[[ALL]]]
// CHECK: llvm.intr.masked.gather %[[AT]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Rows that are transposed as a whole stay vectors.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.return
func.func @main(%x: tensor<2x3x16xf32>) -> tensor<3x2x16xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x16xf32>) -> tensor<3x2x16xf32>
  return %0 : tensor<3x2x16xf32>
}

// -----

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[BACK:.+]] = arith.muli %{{.*}}, %c-1
// CHECK: arith.constant dense<[7, 6, 5, 4, 3, 2, 1, 0]> : vector<8xi64>
// CHECK: vector.broadcast %[[BACK]]
// CHECK: llvm.intr.masked.gather
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A slice without stride begins elsewhere; with one, lanes are that far apart.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[START:.+]] = arith.constant 16 : i64
// CHECK: arith.addi %{{.*}}, %[[START]]
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.constant dense<[4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49]> : vector<16xi64>
// CHECK: llvm.intr.masked.gather
func.func @main(%x: tensor<64xf32>) -> tensor<16xf32> {
  %0 = stablehlo.slice %x [16:32] : (tensor<64xf32>) -> tensor<16xf32>
  %1 = stablehlo.slice %x [4:52:3] : (tensor<64xf32>) -> tensor<16xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// Integers count in their own width, floats are counted in 64 bits first.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[LANES:.+]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: %[[NARROW:.+]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[BASE:.+]] = vector.broadcast %[[NARROW]]
// CHECK: arith.addi %[[BASE]], %[[LANES]] : vector<8xi32>
// CHECK: arith.sitofp {{.*}} : vector<8xi64> to vector<8xf32>
func.func @main() -> (tensor<4x8xi32>, tensor<4x8xf32>) {
  %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %1 = stablehlo.iota dim = 1 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xi32>, tensor<4x8xf32>
}

// -----

// Rows that are all padding branch once for the row, and load nothing.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[AFTER:.+]] = arith.cmpi sge, %[[ROW]], %c1
// CHECK: %[[BEFORE:.+]] = arith.cmpi slt, %[[ROW]], %c5
// CHECK: %[[IN:.+]] = arith.andi %[[AFTER]], %[[BEFORE]] : i1
// CHECK: scf.if %[[IN]] -> (vector<8xf32>) {
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: } else {
// CHECK: %[[PAD:.+]] = llvm.load {{.*}} -> f32
// CHECK: vector.broadcast %[[PAD]]
func.func @main(%x: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<6x8xf32> {
  %0 = stablehlo.pad %x, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

// Along the lanes some are padding and some are not: positions are moved inside
// before they are read, and the lane's own condition chooses.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[LOW:.+]] = arith.cmpi sge, %[[P:.+]], %[[FIRST:.+]] : vector<8xi64>
// CHECK: %[[HIGH:.+]] = arith.cmpi sle, %[[P]], %[[LAST:.+]] : vector<8xi64>
// CHECK: %[[IN:.+]] = arith.andi %[[LOW]], %[[HIGH]] : vector<8xi1>
// CHECK: arith.maxsi %[[P]], %[[FIRST]]
// CHECK: arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[READ:.+]] = llvm.intr.masked.gather
// CHECK: arith.select %[[IN]], %[[READ]], %{{.*}} : vector<8xi1>, vector<8xf32>
func.func @main(%x: tensor<6xf32>, %z: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.pad %x, %z, low = [2], high = [0], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Interior padding: every second row is one of the operand, at half its number.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[HALF:.+]] = arith.divui %[[ROW]], %c2
// CHECK: %[[REST:.+]] = arith.remui %[[ROW]], %c2
// CHECK: arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if
// CHECK: arith.muli %[[HALF]], %c8
func.func @main(%x: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<7x8xf32> {
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

// -----

// Pieces follow one another: rows below 4 come from the first, others, 32
// elements further back, from the second.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: arith.cmpi slt, %[[ROW]], %c4
// CHECK: scf.if
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: } else {
// CHECK: %[[BACK:.+]] = arith.constant -32 : i64
// CHECK: arith.addi %{{.*}}, %[[BACK]]
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

// The start is moved so that the slice fits: between 0 and 16 − 4. Along the
// second dimension everything is taken, wherever it is said to start.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[START:.+]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[LOW:.+]] = arith.maxsi %[[START]], %c0
// CHECK: %[[FITS:.+]] = arith.minsi %[[LOW]], %c12
// CHECK: %[[AT:.+]] = arith.addi %[[ROW]], %[[FITS]]
// CHECK: arith.muli %[[AT]], %c8
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @main(%x: tensor<16x8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Rows that lie in the update, counted from its start, come from there.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[FITS:.+]] = arith.minsi %{{.*}}, %c12
// CHECK: %[[MINUS:.+]] = arith.muli %[[FITS]], %c-1
// CHECK: %[[IN:.+]] = arith.addi %[[ROW]], %[[MINUS]]
// CHECK: arith.cmpi sge, %[[IN]], %c0
// CHECK: arith.cmpi slt, %[[IN]], %c4
// CHECK: scf.if
// CHECK: arith.muli %[[IN]], %c8
// CHECK: } else {
// CHECK: arith.muli %[[ROW]], %c8
func.func @main(%x: tensor<16x8xf32>, %u: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<16x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// One row by its number, which is moved into the table; unsigned numbers are
// widened with zeros.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[WHERE:.+]] = llvm.getelementptr %{{.*}}[%[[ROW]]]
// CHECK: %[[NUMBER:.+]] = llvm.load %[[WHERE]] {{.*}} -> i32
// CHECK: %[[WIDE:.+]] = arith.extui %[[NUMBER]] : i32 to i64
// CHECK: %[[LOW:.+]] = arith.maxsi %[[WIDE]], %c0
// CHECK: %[[FITS:.+]] = arith.minsi %[[LOW]], %c15
// CHECK: arith.muli %[[FITS]], %c8
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @main(%t: tensor<16x8xf32>, %i: tensor<4x1xui32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xui32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Rows of 8 cut the operand's rows of 4 in the middle of the lanes: positions are
// divided anew, lane by lane.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[FOUR:.+]] = arith.constant dense<4> : vector<8xi64>
// CHECK: %[[ROWS:.+]] = arith.divui %[[P:.+]], %[[FOUR]] : vector<8xi64>
// CHECK: arith.remui %[[P]], %[[FOUR]] : vector<8xi64>
// CHECK: arith.muli %[[ROWS]]
// CHECK: llvm.intr.masked.gather
func.func @main(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.negate %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
