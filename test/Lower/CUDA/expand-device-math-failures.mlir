// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(gpu.module(expand-device-math))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @doubles(%memory: memref<16xf64>) kernel {
    %at = arith.constant 0 : index
    %x = memref.load %memory[%at] : memref<16xf64>
    // expected-error @below {{'math.exp' of 'f64' has no code for devices}}
    %0 = math.exp %x : f64
    memref.store %0, %memory[%at] : memref<16xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @remainder(%memory: memref<16xf64>) kernel {
    %at = arith.constant 0 : index
    %x = memref.load %memory[%at] : memref<16xf64>
    // expected-error @below {{'arith.remf' of 'f64' has no code for devices}}
    %0 = arith.remf %x, %x : f64
    memref.store %0, %memory[%at] : memref<16xf64>
    gpu.return
  }
}
