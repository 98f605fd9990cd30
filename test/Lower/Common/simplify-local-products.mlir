// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cuda}))' | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cpu}))' | FileCheck %s --check-prefix=CPU
//
// Libraries of GPUs multiply two of a kind. Operands are converted to the wider
// type, and a result that is narrower afterwards.

// CPU-LABEL: @mixed
// CPU-NOT: stablehlo.convert
// CPU-LABEL: @eight_bits
// CHECK-LABEL: @mixed
// CHECK-NOT: stablehlo.convert
// CHECK: dot_general %arg0, %arg0{{.*}} -> tensor<4x4xf32>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: dot_general %[[WIDE]], %arg1{{.*}}(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[PRODUCT:.*]] = stablehlo.dot_general %arg1, %arg1{{.*}} -> tensor<4x4xf32>
// CHECK: %[[HALF:.*]] = stablehlo.convert %[[PRODUCT]] : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: stablehlo.convert %arg1 : (tensor<4x4xf32>) -> tensor<4x4xf64>
// CHECK: dot_general %{{.*}}, %arg2{{.*}} -> tensor<4x4xf64>
func.func @mixed(%x: tensor<4x4xbf16>, %y: tensor<4x4xf32>, %z: tensor<4x4xf64>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf64>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xbf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xbf16>
  %3 = stablehlo.dot_general %y, %z, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf64>
}

// Each float of eight bits is a bf16. A result that the library does not round
// to is rounded behind the sums.
// CHECK-LABEL: @eight_bits
// CHECK-DAG: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4x4xf8E4M3FN>) -> tensor<4x4xbf16>
// CHECK-DAG: %[[Y:.*]] = stablehlo.convert %arg1 : (tensor<4x4xf8E5M2>) -> tensor<4x4xbf16>
// CHECK: dot_general %[[X]], %[[Y]]{{.*}} -> tensor<4x4xbf16>
// CHECK: dot_general {{.*}}(tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: %[[WIDE:.*]] = stablehlo.dot_general {{.*}}(tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: stablehlo.convert %[[WIDE]] : (tensor<4x4xf32>) -> tensor<4x4xf8E5M2>
// CHECK: dot_general %{{.*}}, %arg2{{.*}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @eight_bits(%x: tensor<4x4xf8E4M3FN>, %y: tensor<4x4xf8E5M2>, %z: tensor<4x4xf32>) -> (tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xf8E5M2>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xf8E5M2>) -> tensor<4x4xbf16>
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>) -> tensor<4x4xf32>
  %2 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>) -> tensor<4x4xf8E5M2>
  %3 = stablehlo.dot_general %x, %z, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xf8E5M2>, tensor<4x4xf32>
}

// CHECK-LABEL: @eight_and_sixteen_bits
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4x4xf8E4M3FN>) -> tensor<4x4xbf16>
// CHECK: dot_general %[[X]], %arg1{{.*}} -> tensor<4x4xf32>
// CHECK: dot_general {{.*}}(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: dot_general {{.*}}(tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
func.func @eight_and_sixteen_bits(%x: tensor<4x4xf8E4M3FN>, %b: tensor<4x4xbf16>, %h: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf64>) {
  %0 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %x, %h, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %2 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>) -> tensor<4x4xf64>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf64>
}
