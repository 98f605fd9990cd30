// RUN: shardsmith-opt %s --split-input-file --estimate-kernels | FileCheck %s

// 256 threads move 4 elements of 4 bytes each, in and out.

// CHECK-LABEL: gpu.func @neighbours
// CHECK-SAME: smith.traffic = {active_lanes = 1.000000e+00 : f64, asked = 8192 : i64, buffers = 8192 : i64, coalescing = 1.000000e+00 : f64, data_dependent = false, exact = true, moved = 8192 : i64, shared = 0 : i64}
gpu.module @kernels {
  gpu.func @neighbours(%in: memref<1024xf32>, %out: memref<1024xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %four = arith.constant 4 : index
    %at = arith.muli %thread, %four : index
    %0 = vector.load %in[%at] : memref<1024xf32>, vector<4xf32>
    %1 = arith.negf %0 : vector<4xf32>
    vector.store %1, %out[%at] : memref<1024xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// A transpose of 32 × 32: lanes read one row (4 sectors), and write a column
// (32 sectors, which 4 would hold): (4 + 4) / (4 + 32) per warp. What a warp
// leaves of a sector the others of the block fill.

// CHECK-LABEL: gpu.func @columns
// CHECK-SAME: asked = 8192 : i64
// CHECK-SAME: coalescing = 0.2222222222222222{{[0-9]*}} : f64
// CHECK-SAME: moved = 8192
gpu.module @kernels {
  gpu.func @columns(%in: memref<1024xf32>, %out: memref<1024xf32>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %size = arith.constant 32 : index
    %row = arith.divui %thread, %size : index
    %column = arith.remui %thread, %size : index
    %0 = memref.load %in[%thread] : memref<1024xf32>
    %start = arith.muli %column, %size : index
    %at = arith.addi %start, %row : index
    memref.store %0, %out[%at] : memref<1024xf32>
    gpu.return
  }
}

// -----

// Eight of 32 lanes have an element: a load, an addition and a store each.

// CHECK-LABEL: gpu.func @few_lanes
// CHECK-SAME: active_lanes = 2.500000e-01 : f64, asked = 64 : i64, buffers = 64
gpu.module @kernels {
  gpu.func @few_lanes(%in: memref<8xf32>, %out: memref<8xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %eight = arith.constant 8 : index
    %is_there = arith.cmpi ult, %thread, %eight : index
    scf.if %is_there {
      %0 = memref.load %in[%thread] : memref<8xf32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %out[%thread] : memref<8xf32>
    }
    gpu.return
  }
}

// -----

// Each lane sums every 32nd of 100 elements: three rounds of all lanes, one of
// four. A buffer of 400 bytes has 12.5 sectors. Shared memory moves nothing.

// CHECK-LABEL: gpu.func @strided
// CHECK-SAME: asked = 416 : i64, buffers = 400 : i64
// CHECK-SAME: moved = 400 : i64, shared = 128 : i64
gpu.module @kernels {
  gpu.func @strided(%in: memref<100xf32>)
      workgroup(%sums: memref<32xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %end = arith.constant 100 : index
    %step = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %thread to %end step %step iter_args(%so_far = %zero) -> f32 {
      %0 = memref.load %in[%i] : memref<100xf32>
      %1 = arith.addf %so_far, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %sum, %sums[%thread] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// All 300 blocks read one buffer: of 4 KiB, which stays in the cache, so it is
// moved once. Some of the blocks stand for all.

// CHECK-LABEL: gpu.func @cached
// CHECK-SAME: asked = 1228800 : i64, buffers = 4096 : i64, {{.*}} exact = false, moved = 4096
gpu.module @kernels {
  gpu.func @cached(%in: memref<1024xf32>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>, known_grid_size = array<i32: 300, 1, 1>} {
    %thread = gpu.thread_id x
    %0 = memref.load %in[%thread] : memref<1024xf32>
    gpu.return
  }
}

// -----

// Each half of what a block reads is read by a neighbour as well, and comes
// through memory once: 7002 parts of 4096 bytes, as the last block is run alone.

// CHECK-LABEL: gpu.func @shared_by_neighbours
// CHECK-SAME: asked = 57344000 : i64, buffers = 32000000 : i64, {{.*}} moved = 28680192
gpu.module @kernels {
  gpu.func @shared_by_neighbours(%in: memref<8000000xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 7000, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %of_block = arith.constant 1024 : index
    %of_thread = arith.constant 4 : index
    %begin = arith.muli %block, %of_block : index
    %offset = arith.muli %thread, %of_thread : index
    %first = arith.addi %begin, %offset : index
    %0 = vector.load %in[%first] : memref<8000000xf32>, vector<4xf32>
    %second = arith.addi %first, %of_block : index
    %1 = vector.load %in[%second] : memref<8000000xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// The other half is read by a block that begins long before or after.

// CHECK-LABEL: gpu.func @shared_from_afar
// CHECK-SAME: buffers = 32000000 : i64, {{.*}} moved = 57344000
gpu.module @kernels {
  gpu.func @shared_from_afar(%in: memref<8000000xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 7000, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %of_block = arith.constant 1024 : index
    %of_thread = arith.constant 4 : index
    %far = arith.constant 3584000 : index
    %all = arith.constant 7168000 : index
    %begin = arith.muli %block, %of_block : index
    %offset = arith.muli %thread, %of_thread : index
    %first = arith.addi %begin, %offset : index
    %0 = vector.load %in[%first] : memref<8000000xf32>, vector<4xf32>
    %sum = arith.addi %first, %far : index
    %second = arith.remui %sum, %all : index
    %1 = vector.load %in[%second] : memref<8000000xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Two blocks read all of 32 MB, which no cache keeps for the second.

// CHECK-LABEL: gpu.func @too_large_for_the_cache
// CHECK-SAME: buffers = 32000000 : i64, {{.*}} moved = 64000000
gpu.module @kernels {
  gpu.func @too_large_for_the_cache(%in: memref<8000000xf32>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %thread = gpu.thread_id x
    %zero = arith.constant 0 : index
    %end = arith.constant 8000000 : index
    %step = arith.constant 8192 : index
    %eight = arith.constant 8 : index
    %first = arith.muli %thread, %eight : index
    scf.for %i = %first to %end step %step {
      %0 = vector.load %in[%i] : memref<8000000xf32>, vector<8xf32>
    }
    gpu.return
  }
}

// -----

// Rows by number: where they lie is drawn, neighbours within a row are not.

// CHECK-LABEL: gpu.func @rows_by_number
// CHECK-SAME: coalescing = 1.000000e+00 : f64, data_dependent = true, exact = false
gpu.module @kernels {
  gpu.func @rows_by_number(%rows: memref<16xi32>, %table: memref<131072xf32>, %out: memref<512xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 16, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %row = memref.load %rows[%block] : memref<16xi32>
    %wide = arith.index_cast %row : i32 to index
    %size = arith.constant 32 : index
    %from = arith.muli %wide, %size : index
    %at = arith.addi %from, %thread : index
    %0 = memref.load %table[%at] : memref<131072xf32>
    %begin = arith.muli %block, %size : index
    %to = arith.addi %begin, %thread : index
    memref.store %0, %out[%to] : memref<512xf32>
    gpu.return
  }
}

// -----

// A branch gives either half of the lanes another position, and so do loops that
// go around once for the second half only: two sectors each.

// CHECK-LABEL: gpu.func @halves
// CHECK-SAME: asked = 128 : i64, buffers = 128 : i64
// CHECK-SAME: exact = true
gpu.module @kernels {
  gpu.func @halves(%a: memref<16xf32>, %b: memref<16xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %sixteen = arith.constant 16 : index
    %is_first = arith.cmpi ult, %thread, %sixteen : index
    %chosen = scf.if %is_first -> index {
      scf.yield %zero : index
    } else {
      scf.yield %one : index
    }
    %at = arith.muli %chosen, %eight : index
    %0 = memref.load %a[%at] : memref<16xf32>
    %rounds = arith.divui %thread, %sixteen : index
    %counted = scf.for %i = %zero to %rounds step %one iter_args(%sum = %zero) -> index {
      %next = arith.addi %sum, %one : index
      scf.yield %next : index
    }
    %then = arith.muli %counted, %eight : index
    %1 = memref.load %b[%then] : memref<16xf32>
    gpu.return
  }
}
