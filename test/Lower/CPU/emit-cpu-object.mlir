// RUN: rm -f %t.o && shardsmith-opt %s --lower-program --emit-cpu-object="path=%t.o cpu=x86-64-v3 plan-hash=00112233" -o /dev/null
// RUN: llvm-nm --extern-only --defined-only %t.o | FileCheck %s
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=NEEDS
// RUN: grep -c 'plan_hash":"00112233"' %t.o
// RUN: %exits 1 shardsmith-opt %s --lower-program --emit-cpu-object 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: %exits 1 shardsmith-opt %s --lower-program --emit-cpu-object="path=%t.o cpu=abacus" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: %exits 1 shardsmith-opt %s --lower-program --emit-cpu-object="path=%t.o/x.o" 2>&1 | FileCheck %s --check-prefix=FILE
//
// The object exports the step and the manifest, needs the runtime's calls, and
// keeps kernels to itself.

// CHECK: R smith_manifest
// CHECK-NEXT: T smith_step
// CHECK-NOT: {{.}}
// NEEDS: U smith_gemm_run
// NEEDS-NOT: {{.}}

// PATH: error: emit-cpu-object needs the option path=FILE
// CPU: error: {{.*}}abacus
// FILE: error: {{.*}}cannot

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
