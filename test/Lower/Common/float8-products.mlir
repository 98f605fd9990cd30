// RUN: shardsmith-opt %s --split-input-file --simplify-local=target=cuda-f8 --lower-dots=target=cuda-f8 | FileCheck %s
// RUN: shardsmith-opt %s --split-input-file --simplify-local=target=cuda --lower-dots=target=cuda | FileCheck %s --check-prefix=HALVES
// SPDX-License-Identifier: Apache-2.0

// Where the library multiplies floats of eight bits, both operands lie along
// what is contracted; a number that the product is multiplied by, and the type
// that it is rounded to, become its own. Elsewhere they are converted to bf16.

// HALVES-LABEL: @layer
// HALVES:       smith.gemm {{.*}} : (tensor<2x8x32xbf16>, tensor<32x48xbf16>) -> tensor<2x8x48xf32>
// CHECK-LABEL:  @layer
// CHECK:        %[[W:.*]] = stablehlo.transpose %arg1, dims = [1, 0]
// CHECK:        %[[Y:.*]] = smith.add_gemm %arg0[0, [32, 1]], %[[W]][0, [1, 32]] batch = [] sizes = [16, 48, 32] strides = [48, 1] scale(%arg2 : tensor<f32>)
// CHECK-SAME:   : (tensor<2x8x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<2x8x48xbf16>
// CHECK-NEXT:   return %[[Y]]
func.func @layer(%x: tensor<2x8x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>, %s: tensor<f32>) -> tensor<2x8x48xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x8x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>) -> tensor<2x8x48xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x8x48xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2x8x48xf32>
  %3 = stablehlo.convert %2 : (tensor<2x8x48xf32>) -> tensor<2x8x48xbf16>
  return %3 : tensor<2x8x48xbf16>
}

// -----

// What lies along it already is not moved; what is added behind the scale is
// the library's, too, and reshapes between are looked through.

// CHECK-LABEL: @added
// CHECK-NOT:   transpose
// CHECK:       smith.add_gemm %arg0[0, [32, 1]], %arg1[0, [1, 32]] {{.*}} sum(%{{.*}} : tensor<2x8x48xbf16>) bias(%arg3 : tensor<48xbf16>) scale(%arg2 : tensor<f32>)
// CHECK-NOT:   stablehlo.add
func.func @added(%x: tensor<16x32xf8E4M3FN>, %w: tensor<48x32xf8E5M2>, %s: tensor<f32>, %b: tensor<48xbf16>, %r: tensor<16x48xbf16>) -> tensor<2x8x48xbf16> {
  %7 = stablehlo.reshape %r : (tensor<16x48xbf16>) -> tensor<2x8x48xbf16>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<16x48xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<16x48xf32>
  %3 = stablehlo.convert %2 : (tensor<16x48xf32>) -> tensor<16x48xbf16>
  %4 = stablehlo.reshape %3 : (tensor<16x48xbf16>) -> tensor<2x8x48xbf16>
  %5 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<48xbf16>) -> tensor<2x8x48xbf16>
  %6 = stablehlo.add %4, %5 : tensor<2x8x48xbf16>
  %8 = stablehlo.add %6, %7 : tensor<2x8x48xbf16>
  return %8 : tensor<2x8x48xbf16>
}

// -----

// Reshapes before and behind the scale are looked through as well.
// CHECK-LABEL: @reshaped
// CHECK:       %[[Y:.*]] = smith.add_gemm %arg0[0, [32, 1]], %arg1[0, [1, 32]] {{.*}} scale(%arg2 : tensor<f32>) {{.*}} -> tensor<4x4x48xbf16>
// CHECK-NEXT:  return %[[Y]]
func.func @reshaped(%x: tensor<16x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>, %s: tensor<f32>) -> tensor<4x4x48xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  %1 = stablehlo.reshape %0 : (tensor<16x48xf32>) -> tensor<2x8x48xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x8x48xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<2x8x48xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x8x48xf32>) -> tensor<4x4x48xf32>
  %5 = stablehlo.convert %4 : (tensor<4x4x48xf32>) -> tensor<4x4x48xbf16>
  return %5 : tensor<4x4x48xbf16>
}

// -----

// In f32, with nothing behind the scale but a bias, which the library adds to
// products of 16 bits alone.
// CHECK-LABEL: @single
// CHECK-NOT:   bias(
// CHECK:       smith.add_gemm {{.*}} scale(%arg2 : tensor<f32>) : {{.*}} -> tensor<16x16xf32>
func.func @single(%x: tensor<16x16xf8E4M3FN>, %w: tensor<16x16xf8E4M3FN>, %s: tensor<f32>, %b: tensor<16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<16x16xf32>
  %3 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %4 = stablehlo.add %2, %3 : tensor<16x16xf32>
  return %4 : tensor<16x16xf32>
}

// -----

// A scale per row is a kernel's, and so is a second number.
// CHECK-LABEL: @other_factors
// CHECK:       smith.gemm
// CHECK:       stablehlo.multiply
// CHECK:       smith.add_gemm {{.*}} scale(%arg3 : tensor<f32>)
// CHECK:       stablehlo.multiply
func.func @other_factors(%x: tensor<16x16xf8E4M3FN>, %w: tensor<16x16xf8E4M3FN>, %rows: tensor<16xf32>, %s: tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  %1 = stablehlo.broadcast_in_dim %rows, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<16x16xf32>
  %3 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1] : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<16x16xf32>
  %6 = stablehlo.multiply %5, %4 : tensor<16x16xf32>
  return %2, %6 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// The library has no product of two f8E5M2, none with other sizes, and here
// none with batch dimensions.
// CHECK-LABEL: @converted
// CHECK-COUNT-3: smith.gemm {{.*}} : (tensor<{{.*}}xbf16>, tensor<{{.*}}xbf16>)
func.func @converted(%x: tensor<16x16xf8E5M2>, %odd: tensor<16x24xf8E4M3FN>, %batch: tensor<2x16x16xf8E4M3FN>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16x16xf32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<16x16xf8E5M2>, tensor<16x16xf8E5M2>) -> tensor<16x16xf32>
  %1 = stablehlo.dot_general %odd, %odd, contracting_dims = [1] x [1] : (tensor<16x24xf8E4M3FN>, tensor<16x24xf8E4M3FN>) -> tensor<16x16xf32>
  %2 = stablehlo.dot_general %batch, %batch, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x16x16xf8E4M3FN>, tensor<2x16x16xf8E4M3FN>) -> tensor<2x16x16xf32>
  return %0, %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16x16xf32>
}

// -----

// A slice whose rows begin at no multiple of 16 is copied; one of whole groups
// is read where it is.
// CHECK-LABEL: @slices
// CHECK:       smith.gemm %arg0[16, [64, 1]]
// CHECK:       %[[PART:.*]] = stablehlo.slice
// CHECK:       smith.gemm %[[PART]][0, [16, 1]]
func.func @slices(%x: tensor<16x64xf8E4M3FN>, %y: tensor<16x40xf8E4M3FN>, %w: tensor<16x16xf8E4M3FN>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = stablehlo.slice %x [0:16, 16:32] : (tensor<16x64xf8E4M3FN>) -> tensor<16x16xf8E4M3FN>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [1] : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  %2 = stablehlo.slice %y [0:16, 16:32] : (tensor<16x40xf8E4M3FN>) -> tensor<16x16xf8E4M3FN>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [1] : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  return %1, %3 : tensor<16x16xf32>, tensor<16x16xf32>
}
