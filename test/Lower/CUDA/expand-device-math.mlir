// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(gpu.module(expand-device-math))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @expanded
  // CHECK-NOT: math.{{a?cosh?|asinh?|atan|cbrt|erf|exp|log|pow|sinh?|tan}}
  // CHECK-NOT: arith.remf
  // CHECK: gpu.return
  gpu.func @expanded(%memory: memref<16xf32>) kernel {
    %at = arith.constant 0 : index
    %x = vector.load %memory[%at] : memref<16xf32>, vector<4xf32>
    %0 = math.tanh %x : vector<4xf32>
    %1 = math.erf %0 : vector<4xf32>
    %2 = math.powf %1, %x : vector<4xf32>
    %3 = math.atan2 %2, %x : vector<4xf32>
    %4 = math.cbrt %3 : vector<4xf32>
    %5 = math.tan %4 : vector<4xf32>
    %6 = math.log1p %5 : vector<4xf32>
    %7 = math.expm1 %6 : vector<4xf32>
    %8 = math.exp %7 : vector<4xf32>
    %9 = math.log %8 : vector<4xf32>
    %10 = math.cos %9 : vector<4xf32>
    %11 = math.sin %10 : vector<4xf32>
    %12 = math.sinh %11 : vector<4xf32>
    %13 = math.cosh %12 : vector<4xf32>
    %14 = math.asinh %13 : vector<4xf32>
    %15 = math.acosh %14 : vector<4xf32>
    %16 = math.atanh %15 : vector<4xf32>
    %17 = math.asin %16 : vector<4xf32>
    %18 = math.acos %17 : vector<4xf32>
    %19 = math.erfc %18 : vector<4xf32>
    %20 = arith.remf %19, %x : vector<4xf32>
    vector.store %20, %memory[%at] : memref<16xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @instructions
  // CHECK: math.sqrt
  // CHECK: math.fma
  // CHECK: math.floor
  // CHECK: math.ctpop
  gpu.func @instructions(%memory: memref<16xf32>, %integers: memref<16xi32>) kernel {
    %at = arith.constant 0 : index
    %x = memref.load %memory[%at] : memref<16xf32>
    %0 = math.sqrt %x : f32
    %1 = math.fma %0, %x, %x : f32
    %2 = math.floor %1 : f32
    memref.store %2, %memory[%at] : memref<16xf32>
    %i = memref.load %integers[%at] : memref<16xi32>
    %3 = math.ctpop %i : i32
    memref.store %3, %integers[%at] : memref<16xi32>
    gpu.return
  }
}
