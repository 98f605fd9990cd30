// RUN: shardsmith-opt %s --lower-program=target=cuda | FileCheck %s
//
// Where products write what they add to.

// The result of the first product, which is read for the last time, lies where
// the second one's does.
// CHECK-LABEL: @main
// CHECK: smith.gemm {{.*}} {smith.offsets = array<i64: [[PLACE:[0-9]+]]>}
// CHECK: smith.add_gemm {{.*}} sum({{.*}}) {smith.offsets = array<i64: [[PLACE]]>}
// A tensor that is a factor as well is not overwritten.
// CHECK: %[[Y:.*]] = smith.gemm {{.*}} {smith.offsets = array<i64: [[FACTOR:[0-9]+]]>}
// CHECK-NEXT: smith.add_gemm %[[Y]]{{.*}} sum(%[[Y]] : tensor<8x8xf32>)
// CHECK-NOT: array<i64: [[FACTOR]]>
// CHECK: return
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  %3 = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<8x8xf32>
  return %2, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}
