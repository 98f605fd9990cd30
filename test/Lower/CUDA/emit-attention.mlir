// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --split-input-file | FileCheck %s
//
// What device functions of attention look like; test/python/test_device_attention.py
// runs them.

// A warp has 16 rows, so 20 queries of each of six heads take two. Of f32 tiles
// a row of eight features is followed by four elements: 32 rows of 12, and 32 of
// keys and of values. Causal: only tiles of keys that some query sees. Scores
// are products and sums; the threads of a row meet by two shuffles.
// CHECK-LABEL: func.func @main(
// CHECK: smith.attention {{.*}} causal {{.*}}smith.device_function = @kernels::@attention_0
// CHECK: gpu.func @attention_0(%[[Q:[a-z_0-9]+]]: memref<960xf32>, %[[K:[a-z_0-9]+]]: memref<960xf32>, %[[V:[a-z_0-9]+]]: memref<960xf32>, %[[O:[a-z_0-9]+]]: memref<960xf32>, %[[L:[a-z_0-9]+]]: memref<120xf32>)
// CHECK-SAME: workgroup(%[[ROWS:[a-z_0-9]+]] : memref<384xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[KEYS:[a-z_0-9]+]] : memref<384xf32
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 6, 1, 1>
// CHECK: vector.load %[[Q]]
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: %[[SEEN:[a-z_0-9]+]] = arith.minsi
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: gpu.barrier
// CHECK: vector.load %[[K]]
// CHECK: vector.load %[[V]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.load %[[KEYS]]
// CHECK: math.fma
// CHECK: arith.cmpi sle
// CHECK: arith.select
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
// CHECK: gpu.shuffle xor
// CHECK: math.exp
// CHECK: scf.yield
// CHECK: math.log
// CHECK: memref.store %{{.*}}, %[[L]]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[O]][{{.*}}] {alignment = 8 : i64}
// CHECK-NOT: nvvm
func.func @main(%q: tensor<2x3x1x20x8xf32>, %k: tensor<2x3x20x8xf32>, %v: tensor<2x3x20x8xf32>) -> (tensor<2x3x1x20x8xf32>, tensor<2x3x1x20xf32>) {
  %o, %l = smith.attention %q, %k, %v causal scale = 3.0e-01 : (tensor<2x3x1x20x8xf32>, tensor<2x3x20x8xf32>, tensor<2x3x20x8xf32>) -> (tensor<2x3x1x20x8xf32>, tensor<2x3x1x20xf32>)
  return %o, %l : tensor<2x3x1x20x8xf32>, tensor<2x3x1x20xf32>
}

// -----

// Of bf16, by matrix instructions. Keys are kept by rows of words of two
// features, values by words of two rows; probabilities are rounded on the way
// to their product. All keys are seen.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @attention_0(
// CHECK-SAME: memref<768xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load {{.*}} : memref<768xi32, #gpu.address_space<workgroup>>
// CHECK: scf.for {{.*}} to %c100_i64{{.*}} step %c64_i64
// CHECK: vector.bitcast {{.*}} : vector<8xbf16> to vector<4xi32>
// CHECK: vector.bitcast {{.*}} : vector<16xbf16> to vector<8xi32>
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK-NOT: arith.cmpi sle
// CHECK: math.exp
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: nvvm.mma.sync
func.func @main(%q: tensor<2x2x100x16xbf16>, %k: tensor<2x100x16xbf16>, %v: tensor<2x100x16xbf16>) -> (tensor<2x2x100x16xbf16>, tensor<2x2x100xf32>) {
  %o, %l = smith.attention %q, %k, %v scale = 3.0e-01 : (tensor<2x2x100x16xbf16>, tensor<2x100x16xbf16>, tensor<2x100x16xbf16>) -> (tensor<2x2x100x16xbf16>, tensor<2x2x100xf32>)
  return %o, %l : tensor<2x2x100x16xbf16>, tensor<2x2x100xf32>
}

// -----

// A step of a ring reads where its queries and keys begin, and goes on from what
// earlier steps have made. Two ops with one text have one function.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: smith.device_function = @kernels::@attention_0
// CHECK: gpu.func @attention_0(
// CHECK-SAME: %[[FIRST:[a-z_0-9]+]]: memref<1xi32>, %{{.+}}: memref<1xi32>, %[[OUTPUT:[a-z_0-9]+]]: memref<64xf32>, %[[LSE:[a-z_0-9]+]]: memref<8xf32>
// CHECK: memref.load %[[FIRST]]
// CHECK: arith.extsi {{.*}} : i32 to i64
// CHECK: memref.load %[[LSE]]
// CHECK: arith.cmpf une
// CHECK: memref.load %[[OUTPUT]]
// CHECK-NOT: gpu.func
func.func @main(%q: tensor<1x8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %at: tensor<i32>, %o0: tensor<1x8x8xf32>, %l0: tensor<1x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>) {
  %o1, %l1 = smith.partial_attention %q, %k, %v at %at, %at of 16 after %o0, %l0 causal scale = 1.0 : (tensor<1x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<i32>, tensor<1x8x8xf32>, tensor<1x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  %o2, %l2 = smith.partial_attention %q, %k, %v at %at, %at of 16 after %o1, %l1 causal scale = 1.0 : (tensor<1x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<i32>, tensor<1x8x8xf32>, tensor<1x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  return %o2, %l2 : tensor<1x8x8xf32>, tensor<1x8xf32>
}

// -----

// The gradient: blocks of keys, and behind them blocks of queries. Rows of 288
// features are read where they are.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @attention_0(%[[Q:[a-z_0-9]+]]: memref<4608xf32>, %[[K:[a-z_0-9]+]]: memref<4608xf32>
// CHECK-SAME: known_grid_size = array<i32: 2, 1, 1>
// CHECK: %[[OF_KEYS:[a-z_0-9]+]] = arith.cmpi slt, %{{.+}}, %c1_i64
// CHECK: scf.if %[[OF_KEYS]] {
// CHECK-NOT: vector.load %[[K]]
// CHECK: vector.load %[[Q]]
// CHECK: vector.load %[[K]]
// CHECK: math.fma
// CHECK: } else {
func.func @main(%q: tensor<1x16x288xf32>, %k: tensor<16x288xf32>, %v: tensor<16x288xf32>, %o: tensor<1x16x288xf32>, %l: tensor<1x16xf32>) -> (tensor<1x16x288xf32>, tensor<16x288xf32>, tensor<16x288xf32>) {
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %l, %o scale = 1.0 : (tensor<1x16x288xf32>, tensor<16x288xf32>, tensor<16x288xf32>, tensor<1x16x288xf32>, tensor<1x16xf32>, tensor<1x16x288xf32>) -> (tensor<1x16x288xf32>, tensor<16x288xf32>, tensor<16x288xf32>)
  return %dq, %dk, %dv : tensor<1x16x288xf32>, tensor<16x288xf32>, tensor<16x288xf32>
}
