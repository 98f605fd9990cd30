// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// smith_step(context, arena) calls the runtime on addresses in the arena, in
// the order of the program.

// Collectives name their group by its number, in the order of first use, the
// element type and the reduction as ABI.h counts them: 0 is f32; sum is 0, max
// is 2. Sizes are elements where values are combined and bytes where they move.
// CHECK-DAG: llvm.mlir.global internal constant @permutation_0("\01\00\00\00\00\00\00\00\FF\FF\FF\FF
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[F32:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[DATA:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[SUM:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[COUNT:.+]] = llvm.mlir.constant(256 : i64)
// CHECK: llvm.call @smith_all_reduce(%arg0, %[[DATA]], %[[F32]], %[[SUM]], %{{.+}}, %[[REDUCED:.+]], %[[COUNT]])
// CHECK: %[[OUTER:.+]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[BYTES:.+]] = llvm.mlir.constant(1024 : i64)
// CHECK: llvm.call @smith_all_gather(%arg0, %{{.+}}, %{{.+}}, %{{.+}}, %[[OUTER]], %[[BYTES]])
// CHECK: %[[TENSOR:.+]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[MAX:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[CHUNK:.+]] = llvm.mlir.constant(64 : i64)
// CHECK: llvm.call @smith_reduce_scatter(%arg0, %[[TENSOR]], %{{.+}}, %[[MAX]], %{{.+}}, %{{.+}}, %{{.+}}, %[[CHUNK]])
// CHECK: %[[BOTH:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[BLOCK:.+]] = llvm.mlir.constant(256 : i64)
// CHECK: llvm.call @smith_all_to_all(%arg0, %[[BOTH]], %{{.+}}, %{{.+}}, %[[BLOCK]])
// CHECK: %[[SOURCES:.+]] = llvm.mlir.addressof @permutation_0
// CHECK: %[[ALL:.+]] = llvm.mlir.constant(1024 : i64)
// CHECK: llvm.call @smith_collective_permute(%arg0, %{{.+}}, %[[SOURCES]], %{{.+}}, %{{.+}}, %[[ALL]])
sdy.mesh @mesh = <["data"=2, "tensor"=4]>
func.func @main(%x: tensor<16x16xf32>) -> (tensor<32x16xf32>, tensor<4x16xf32>, tensor<8x4x16xf32>, tensor<16x16xf32>) {
  %0 = smith.all_reduce %x over ["data"] kind = sum : tensor<16x16xf32>
  %1 = smith.all_gather %0 over ["data"] dim = 0 : tensor<16x16xf32> -> tensor<32x16xf32>
  %2 = smith.reduce_scatter %0 over ["tensor"] dim = 0 kind = max : tensor<16x16xf32> -> tensor<4x16xf32>
  %3 = stablehlo.reshape %1 : (tensor<32x16xf32>) -> tensor<8x4x16xf32>
  %4 = smith.exchange_blocks %3 over ["data", "tensor"] : tensor<8x4x16xf32>
  %5 = smith.collective_permute %0 pairs = [[0, 1], [1, 0]] : tensor<16x16xf32>
  return %1, %2, %4, %5 : tensor<32x16xf32>, tensor<4x16xf32>, tensor<8x4x16xf32>, tensor<16x16xf32>
}

// -----

// A gather along the second dimension repeats for every index of the first.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: %[[OUTER:.+]] = llvm.mlir.constant(3 : i64)
// CHECK: %[[BYTES:.+]] = llvm.mlir.constant(40 : i64)
// CHECK: llvm.call @smith_all_gather(%arg0, %{{.+}}, %{{.+}}, %{{.+}}, %[[OUTER]], %[[BYTES]])
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<3x4x5xbf16>) -> tensor<3x8x5xbf16> {
  %0 = smith.all_gather %x over ["data"] dim = 1 : tensor<3x4x5xbf16> -> tensor<3x8x5xbf16>
  return %0 : tensor<3x8x5xbf16>
}

// -----

// The index along several axes: coordinates of the rank (row-major, last axis
// fastest), the first axis named counting most.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[RANK:.+]] = llvm.call @smith_rank(%arg0)
// CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[NEXT:.+]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[Q:.+]] = llvm.udiv %[[RANK]], %[[NEXT]]
// CHECK: %[[T:.+]] = llvm.urem %[[Q]], %[[FOUR]]
// CHECK: %[[M:.+]] = llvm.mul %[[ZERO]], %[[FOUR]]
// CHECK: %[[I:.+]] = llvm.add %[[M]], %[[T]]
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[APART:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[R:.+]] = llvm.udiv %[[RANK]], %[[APART]]
// CHECK: %[[D:.+]] = llvm.urem %[[R]], %[[TWO]]
// CHECK: %[[N:.+]] = llvm.mul %[[I]], %[[TWO]]
// CHECK: %[[J:.+]] = llvm.add %[[N]], %[[D]]
// CHECK: llvm.store %[[J]]
sdy.mesh @mesh = <["data"=2, "tensor"=4]>
func.func @main() -> tensor<i32> {
  %0 = smith.shard_index over ["tensor", "data"] : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A product is a descriptor and three addresses; an operand that begins inside
// its buffer is addressed there: 16 elements of 4 bytes.
// CHECK: llvm.mlir.global internal constant @gemm_0({{.*}}) {{{.*}}alignment = 8
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[GEMM:.+]] = llvm.mlir.addressof @gemm_0
// CHECK: %[[SHIFT:.+]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[SHIFT]]]
// CHECK: llvm.call @smith_gemm_run(%arg0, %[[GEMM]], %[[AT]], %{{.+}}, %{{.+}})
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %s = stablehlo.slice %x [4:8, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %0 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// A table of values is read-only data, one byte per boolean.
// CHECK-DAG: llvm.mlir.global internal constant @constant_0("\00\00\80?\00\00\00@\00\00@@\00\00\80@") {{{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @constant_1("\01\00\01\00")
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %table = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %mask = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = stablehlo.select %mask, %x, %table : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A new value that could not be written over the old one, because others still
// read that, is copied there at the end of the step.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @smith_gemm_run
// CHECK: %[[BYTES:.+]] = llvm.mlir.constant(36 : i64)
// CHECK: llvm.call @smith_copy(%arg0, %{{.+}}, %{{.+}}, %[[BYTES]])
// CHECK-NEXT: llvm.return
func.func @main(%p: tensor<3x3xf32> {smith.name = "p", smith.role = "param"})
    -> (tensor<3x3xf32> {smith.name = "p", smith.role = "param"}) {
  %0 = stablehlo.dot_general %p, %p, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
