// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// The three loop nests. A kernel's function does the units [%arg1, %arg2).

// One long row in vectors of 64 lanes; the rest of 36 is one vector more, which
// the only unit does.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %{{.+}} = %arg1 to %arg2
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %c64{{.*}} step %c64
// CHECK: arith.negf {{.*}} : vector<64xf32>
// CHECK: scf.if
// CHECK: arith.negf {{.*}} : vector<36xf32>
func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = stablehlo.negate %x : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// 15,000 elements are 8 units of 2,048, which threads share out: the runtime is
// called with the function, the units and the least number per thread. The last
// unit ends where the vectors do, and does the rest.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[UNITS:.+]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[BODY:.+]] = llvm.mlir.addressof @kernel_0
// CHECK: %[[GRAIN:.+]] = llvm.mlir.constant(5 : i64)
// CHECK: llvm.call @smith_parallel_for(%arg0, %[[BODY]], %{{.+}}, %[[UNITS]], %[[GRAIN]])
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[UNIT:.+]] = %arg1 to %arg2
// CHECK: %[[BLOCK:.+]] = arith.remui %[[UNIT]], %c8
// CHECK: %[[BEGIN:.+]] = arith.muli %[[BLOCK]], %c2048
// CHECK: %[[NEXT:.+]] = arith.addi %[[BEGIN]], %c2048
// CHECK: %[[END:.+]] = arith.minsi %[[NEXT]], %c14976
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]] step %c64
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[BLOCK]], %c7
// CHECK: scf.if %[[LAST]]
// CHECK: arith.negf {{.*}} : vector<24xf32>
func.func @main(%x: tensor<3x5000xf32>) -> tensor<3x5000xf32> {
  %0 = stablehlo.negate %x : tensor<3x5000xf32>
  return %0 : tensor<3x5000xf32>
}

// -----

// A row per unit. The exponential is needed by the sum and by the quotient: it
// is kept in a row of scratch between the two sweeps. Partial sums of the lanes
// are combined in pairs, in an order that no number of threads changes.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: %[[BYTES:.+]] = arith.constant 256 : i64
// CHECK: %[[SCRATCH:.+]] = llvm.alloca %[[BYTES]] x i8 {alignment = 64 : i64}
// CHECK: scf.for %[[ROW:.+]] = %arg1 to %arg2
// CHECK: %[[SUMS:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<32xf64>)
// CHECK: %[[E:.+]] = math.exp {{.*}} : vector<32xf64>
// CHECK: %[[KEEP:.+]] = llvm.getelementptr %[[SCRATCH]]
// CHECK: llvm.store %[[E]], %[[KEEP]]
// CHECK: arith.addf %[[SUM]], %[[E]]
// CHECK: vector.extract_strided_slice %[[SUMS]] {offsets = [0], sizes = [16]
// CHECK: vector.extract_strided_slice %[[SUMS]] {offsets = [16], sizes = [16]
// CHECK: arith.addf {{.*}} : vector<16xf64>
// CHECK: arith.addf {{.*}} : vector<8xf64>
// CHECK: arith.addf {{.*}} : vector<4xf64>
// CHECK: arith.addf {{.*}} : vector<2xf64>
// CHECK: %[[TOTAL:.+]] = arith.addf {{.*}} : f64
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: %[[KEPT:.+]] = llvm.getelementptr %[[SCRATCH]]
// CHECK: %[[AGAIN:.+]] = llvm.load %[[KEPT]]
// CHECK: %[[ALL:.+]] = vector.broadcast %[[TOTAL]]
// CHECK: arith.divf %[[AGAIN]], %[[ALL]]
func.func @main(%x: tensor<4x32xf64>) -> tensor<4x32xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %e = stablehlo.exponential %x : tensor<4x32xf64>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf64>, tensor<f64>) -> tensor<4xf64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf64>) -> tensor<4x32xf64>
  %2 = stablehlo.divide %e, %1 : tensor<4x32xf64>
  return %2 : tensor<4x32xf64>
}

// -----

// A cheap value is computed again in the second sweep: no scratch.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK-NOT: llvm.alloca
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.negf
// CHECK: scf.for
// CHECK: arith.negf
// CHECK: llvm.return
func.func @main(%x: tensor<4x32xf64>) -> tensor<4x32xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %n = stablehlo.negate %x : tensor<4x32xf64>
  %0 = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf64>, tensor<f64>) -> tensor<4xf64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf64>) -> tensor<4x32xf64>
  %2 = stablehlo.divide %n, %1 : tensor<4x32xf64>
  return %2 : tensor<4x32xf64>
}

// -----

// A reduction over leading dimensions keeps one accumulator per column: a unit
// is a block of 64 columns, the last one of 36, and walks down the rows.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[UNIT:.+]] = %arg1 to %arg2
// CHECK: %[[BLOCK:.+]] = arith.remui %[[UNIT]], %c2
// CHECK: %[[COLUMN:.+]] = arith.muli %[[BLOCK]], %c64
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[BLOCK]], %c1
// CHECK: scf.if %[[LAST]] {
// CHECK: scf.for {{.*}} to %c16{{.*}} iter_args({{.*}}) -> (vector<36xf32>)
// CHECK: arith.maximumf {{.*}} : vector<36xf32>
// CHECK: } else {
// CHECK: scf.for %[[ROW:.+]] = {{.*}} to %c16{{.*}} iter_args(%[[MOST:.+]] = {{.*}}) -> (vector<64xf32>)
// CHECK: %[[DOWN:.+]] = arith.muli %[[ROW]], %c100
// CHECK: arith.addi %[[DOWN]], %[[COLUMN]]
// CHECK: arith.maximumf %[[MOST]], %{{.*}} : vector<64xf32>
func.func @main(%x: tensor<16x100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<16x100xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// A long sum is made in blocks, each from zero, so that roundings with a common
// sign do not add up over all terms.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.func internal @kernel_0(
// CHECK: scf.for %[[START:.+]] = %{{.*}} to %{{.*}} step %[[BLOCK:.+]] iter_args(%[[TOTAL:.+]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: %[[AFTER:.+]] = arith.addi %[[START]], %{{.*}} : i64
// CHECK: %[[END:.+]] = arith.minsi %[[AFTER]], %{{.*}} : i64
// CHECK: %[[ZERO:.+]] = vector.broadcast
// CHECK: %[[SUM:.+]] = scf.for %{{.*}} = %[[START]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: %[[NEXT:.+]] = arith.addf %[[TOTAL]], %[[SUM]]
// CHECK: scf.yield %[[NEXT]]
func.func @main(%x: tensor<1000x16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Kernels of the same text on buffers that overlap in the same way are one
// function.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK-COUNT-2: llvm.call @kernel_0(
// CHECK-NOT: @kernel_1
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.negate %y : tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// Distinct buffers have distinct alias scopes; a result in the place of an
// operand shares the operand's.
// CHECK: #[[X:.+]] = #llvm.alias_scope<id = "kernel_0.0"
// CHECK: #[[Y:.+]] = #llvm.alias_scope<id = "kernel_0.1"
// CHECK-NOT: kernel_0.2
// CHECK: llvm.func internal @kernel_0(
// CHECK: llvm.load {{.*}}alias_scopes = [#[[X]]]{{.*}}noalias_scopes = [#[[Y]]]
// CHECK: llvm.load {{.*}}alias_scopes = [#[[Y]]]{{.*}}noalias_scopes = [#[[X]]]
// CHECK: llvm.store {{.*}}alias_scopes = [#[[X]]]{{.*}}noalias_scopes = [#[[Y]]]
func.func @main(%p: tensor<16xf32> {smith.name = "p", smith.role = "param"},
                %g: tensor<16xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<16xf32> {smith.name = "p", smith.role = "param"}) {
  %0 = stablehlo.subtract %p, %g : tensor<16xf32>
  return %0 : tensor<16xf32>
}
