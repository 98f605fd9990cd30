// RUN: shardsmith-opt %s --split-input-file --estimate-kernels --verify-diagnostics

gpu.module @kernels {
  gpu.func @as_often_as_data_says(%counts: memref<1xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0 = memref.load %counts[%zero] : memref<1xf32>
    %1 = arith.fptosi %0 : f32 to i64
    %end = arith.index_cast %1 : i64 to index
    // expected-error @below {{'scf.for' op runs as often as data says in 32 lanes; its traffic is not known ahead}}
    scf.for %i = %zero to %end step %one {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @until_something_holds() kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    // expected-error @below {{'scf.while' op is no branch or counted loop, so where it reads is not known}}
    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      scf.yield
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no known size of its grid and blocks}}
  gpu.func @of_unknown_size() kernel {
    gpu.return
  }
}
