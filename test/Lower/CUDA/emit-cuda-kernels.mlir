// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// The loop nests of device functions. test/python/test_device_kernels.py runs
// them; here is what they look like.

// Accesses of 16 bytes: eight elements of a thread, computed in f32. 128 threads
// are all there is work for. Equal kernels have one function, launched twice
// where one reads the other's result.
// CHECK-LABEL: func.func @main(
// CHECK: smith.kernel{{.*}} {smith.device_function = @kernels::@kernel_0
// CHECK: smith.gemm
// CHECK: smith.kernel{{.*}} {smith.device_function = @kernels::@kernel_0
// CHECK: gpu.module @kernels
// CHECK: gpu.func @kernel_0(%[[X:.+]]: memref<1024xbf16>, %[[Y:.+]]: memref<1024xbf16>) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK: %[[LOADED:.+]] = vector.load %[[X]][%{{.+}}] {alignment = 16 : i64} : memref<1024xbf16>, vector<8xbf16>
// CHECK: arith.extf %[[LOADED]]
// CHECK: arith.negf {{.*}} : vector<8xf32>
// CHECK: vector.store %{{.+}}, %[[Y]][%{{.+}}] {alignment = 16 : i64} : memref<1024xbf16>, vector<8xbf16>
// CHECK-NOT: gpu.func
func.func @main(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %0 = stablehlo.negate %x : tensor<32x32xbf16>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %2 = stablehlo.negate %1 : tensor<32x32xbf16>
  return %2 : tensor<32x32xbf16>
}

// -----

// Three equal kernels are one launch of two blocks each. A block finds its
// member and its own number in it, and the member's buffers by branches. The
// rate is an argument once.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: smith.kernel{{.*}} {smith.device_function = @kernels::@joint_0, smith.joint_launch = 0
// CHECK: gpu.func @joint_0(%[[P:.+]]: memref<2048xf32>, %[[G:.+]]: memref<2048xf32>, %[[RATE:.+]]: memref<1xf32>, %[[Q:.+]]: memref<2048xf32>, %[[H:.+]]: memref<2048xf32>, %[[R:.+]]: memref<2048xf32>, %[[I:.+]]: memref<2048xf32>, %[[NP:[^:]+]]: memref<2048xf32>, %[[NQ:[^:]+]]: memref<2048xf32>, %[[NR:[^:]+]]: memref<2048xf32>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 6, 1, 1>
// CHECK: %[[ID:.+]] = gpu.block_id x
// CHECK: %[[BLOCK:.+]] = arith.index_cast %[[ID]]
// CHECK: %[[MEMBER:.+]] = arith.divui %[[BLOCK]], %c2_i64
// CHECK: arith.cmpi slt, %[[MEMBER]], %c1_i64
// CHECK: %[[OWN:.+]]:3 = scf.if
// CHECK-NEXT: scf.yield %[[P]], %[[G]], %[[NP]]
// CHECK: arith.cmpi slt, %[[MEMBER]], %c2_i64
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[Q]], %[[H]], %[[NQ]]
// CHECK: scf.yield %[[R]], %[[I]], %[[NR]]
// CHECK: arith.remui %[[BLOCK]], %c2_i64
// CHECK: vector.load %[[OWN]]#0[%{{.+}}] {alignment = 16 : i64}
// CHECK: memref.load %[[RATE]]
// CHECK: vector.load %[[OWN]]#1[%{{.+}}] {alignment = 16 : i64}
// CHECK: vector.store %{{.+}}, %[[OWN]]#2[%{{.+}}] {alignment = 16 : i64}
func.func @main(%p: tensor<2048xf32>, %q: tensor<2048xf32>, %r: tensor<2048xf32>, %g: tensor<2048xf32>, %h: tensor<2048xf32>, %i: tensor<2048xf32>, %rate: tensor<f32>)
    -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) {
  %b = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2048xf32>
  %0 = stablehlo.multiply %b, %g : tensor<2048xf32>
  %1 = stablehlo.subtract %p, %0 : tensor<2048xf32>
  %2 = stablehlo.multiply %b, %h : tensor<2048xf32>
  %3 = stablehlo.subtract %q, %2 : tensor<2048xf32>
  %4 = stablehlo.multiply %b, %i : tensor<2048xf32>
  %5 = stablehlo.subtract %r, %4 : tensor<2048xf32>
  return %1, %3, %5 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
}

// -----

// An odd number of elements is loaded one by one; the threads of the last warp
// that have none do nothing.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt, %{{.+}}, %c21
// CHECK: scf.if %[[INSIDE]]
// CHECK: memref.load
// CHECK: memref.store
func.func @main(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = stablehlo.negate %x : tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// Eight threads have a row of 32, so a block has 32 rows; they meet by shuffles
// alone. A row's first thread stores the sum.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-NOT: workgroup
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
func.func @main(%x: tensor<96x32xf32>) -> tensor<96xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x32xf32>, tensor<f32>) -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// -----

// A block has a row of 4,096, in registers: it is loaded once, and the
// exponential is computed once, though the sum and the quotient need it. Warps
// meet in shared memory, of which each level has its own.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: workgroup(%{{.+}} : memref<8xf32, #gpu.address_space<workgroup>>, %{{.+}} : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4, 1, 1>
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-NOT: math.fma
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store
func.func @main(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4096xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x4096xf32>
  %1 = stablehlo.subtract %x, %0 : tensor<4x4096xf32>
  %e = stablehlo.exponential %1 : tensor<4x4096xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4096xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x4096xf32>
  %3 = stablehlo.divide %e, %2 : tensor<4x4096xf32>
  return %3 : tensor<4x4096xf32>
}

// -----

// A row that registers do not hold is read again by each level, in a loop.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK: scf.for {{.*}} step %c2048
// CHECK: vector.load
// CHECK: gpu.barrier
func.func @main(%x: tensor<2x60000xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x60000xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Sums of few columns: 32 threads lie across as many columns, with one element
// each so that there are two blocks, and 8 share the rows out. Their sums are
// halved in shared memory, three times.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: workgroup(%{{.+}} : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK: scf.for {{.*}} step %c8
// CHECK: memref.load
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: memref.store
func.func @main(%x: tensor<500x64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<500x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Of many columns: threads have four each, and there are 128 blocks all the
// same.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: workgroup(%{{.+}} : memref<1024xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_grid_size = array<i32: 128, 1, 1>
// CHECK: scf.for {{.*}} step %c8
// CHECK: vector.load
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
func.func @main(%x: tensor<50x16384xf32>) -> tensor<16384xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<50x16384xf32>, tensor<f32>) -> tensor<16384xf32>
  return %0 : tensor<16384xf32>
}

// -----

// What only puts elements elsewhere goes through tiles of 32 × 32 in shared
// memory. Along the first two dimensions, which are 10 × 8 = 80, tiles are cut.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(%[[IN:.+]]: memref<5120xf32>, %[[OUT:.+]]: memref<5120xf32>)
// CHECK-SAME: workgroup(%[[TILE:.+]] : memref<1056xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 6, 1, 1>
// CHECK: scf.if
// CHECK: memref.load %[[IN]]
// CHECK: memref.store %{{.+}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.load %[[TILE]]
// CHECK: memref.store %{{.+}}, %[[OUT]]
func.func @main(%x: tensor<10x8x64xf32>) -> tensor<64x80xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<10x8x64xf32>) -> tensor<64x10x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<64x10x8xf32>) -> tensor<64x80xf32>
  return %1 : tensor<64x80xf32>
}

// -----

// Neighbours stay neighbours: no tiles.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @kernel_0(
// CHECK-NOT: workgroup
// CHECK: gpu.return
func.func @main(%x: tensor<10x8x64xf32>) -> tensor<8x10x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<10x8x64xf32>) -> tensor<8x10x64xf32>
  return %0 : tensor<8x10x64xf32>
}

// -----

// A thread owns four columns of every tenth-or-less row: here each of the ten
// rows has threads of its own, which go through all updates in order.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @scatter_0(%[[INDICES:.+]]: memref<7xi32>, %[[UPDATES:.+]]: memref<56xf32>, %[[RESULT:.+]]: memref<80xf32>)
// CHECK: scf.for
// CHECK: memref.load %[[INDICES]]
// CHECK: arith.remui
// CHECK: scf.if
// CHECK: vector.load %[[RESULT]]
// CHECK: vector.load %[[UPDATES]]
// CHECK: vector.store %{{.+}}, %[[RESULT]]
func.func @main(%x: tensor<10x8xf32>, %i: tensor<7x1xi32>, %u: tensor<7x8xf32>) -> tensor<10x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10x8xf32>, tensor<7x1xi32>, tensor<7x8xf32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}

// -----

// A program without kernels gets no module.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: gpu.module
func.func @main(%x: tensor<4xf32> {smith.role = "param", smith.name = "x"}) -> (tensor<4xf32> {smith.role = "param", smith.name = "x"}) {
  return %x : tensor<4xf32>
}

// -----

// Two layers have one kernel, whatever a plan says of them.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: smith.device_function = @kernels::@kernel_0
// CHECK: gpu.func @kernel_0(
// CHECK-NOT: gpu.func
func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = stablehlo.tanh %x {smith.unit = 0 : i64, smith.stage = 0 : i64, smith.recompute = "full"} : tensor<32x32xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = stablehlo.tanh %1 {smith.unit = 1 : i64, smith.stage = 1 : i64, smith.recompute = "none"} : tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
