// RUN: shardsmith-opt %s --emit-cuda-kernels | FileCheck %s
// RUN: shardsmith-opt %s --plan-buffers=target=cuda --emit-cuda-kernels | emulate-kernels - --orders 3 | FileCheck %s --check-prefix=EMULATED
// RUN: shardsmith-opt %s --emit-cuda-kernels | %exits 3 emulate-kernels - 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: kernels have no places in memory; run plan-buffers=target=cuda
// SPDX-License-Identifier: Apache-2.0

// What a kernel computes and then puts elsewhere is computed in the order of its
// operands, and goes through a tile as it is in registers.

// CHECK-LABEL: gpu.func @kernel_0
// CHECK-SAME:  (%[[SCALE:.*]]: memref<1xf32>, %[[X:.*]]: memref<1920xf32>, %[[Y:.*]]: memref<1920xi8>) workgroup(%[[TILE:.*]] : memref<1056xf32,
// CHECK:       memref.load %[[X]]
// CHECK:       memref.store %{{.*}}, %[[TILE]]
// CHECK:       gpu.barrier
// CHECK:       memref.load %[[TILE]]
// CHECK:       memref.store %{{.*}}, %[[Y]]
// EMULATED: 3 functions run, 0 with a problem
func.func @quantized(%s: tensor<f32>, %x: tensor<40x48xf32>) -> tensor<48x40xf8E4M3FN> {
  %0 = smith.kernel(%s, %x) domain = [48, 40] reduced = [] : (tensor<f32>, tensor<40x48xf32>) -> tensor<48x40xf8E4M3FN> {
  ^bb0(%a: tensor<f32>, %b: tensor<40x48xf32>):
    %1 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<40x48xf32>
    %2 = stablehlo.multiply %b, %1 : tensor<40x48xf32>
    %3 = stablehlo.convert %2 : (tensor<40x48xf32>) -> tensor<40x48xf8E4M3FN>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<40x48xf8E4M3FN>) -> tensor<48x40xf8E4M3FN>
    smith.kernel_yield %4 : tensor<48x40xf8E4M3FN>
  }
  return %0 : tensor<48x40xf8E4M3FN>
}

// Of two tensors, one of them in another order, with a reshape on the way.
// CHECK-LABEL: gpu.func @kernel_1
// CHECK-SAME:  workgroup(
// CHECK:       gpu.barrier
func.func @sum(%x: tensor<40x48xf32>, %y: tensor<48x40xf32>) -> tensor<48x8x5xf32> {
  %0 = smith.kernel(%x, %y) domain = [48, 8, 5] reduced = [] : (tensor<40x48xf32>, tensor<48x40xf32>) -> tensor<48x8x5xf32> {
  ^bb0(%a: tensor<40x48xf32>, %b: tensor<48x40xf32>):
    %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<48x40xf32>) -> tensor<40x48xf32>
    %2 = stablehlo.add %a, %1 : tensor<40x48xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<40x48xf32>) -> tensor<48x40xf32>
    %4 = stablehlo.reshape %3 : (tensor<48x40xf32>) -> tensor<48x8x5xf32>
    smith.kernel_yield %4 : tensor<48x8x5xf32>
  }
  return %0 : tensor<48x8x5xf32>
}

// What is done behind the change of order is done element by element.
// CHECK-LABEL: gpu.func @kernel_2
// CHECK-NOT:   gpu.barrier
func.func @behind(%x: tensor<40x48xf32>) -> tensor<48x40xf32> {
  %0 = smith.kernel(%x) domain = [48, 40] reduced = [] : (tensor<40x48xf32>) -> tensor<48x40xf32> {
  ^bb0(%a: tensor<40x48xf32>):
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<40x48xf32>) -> tensor<48x40xf32>
    %2 = stablehlo.add %1, %1 : tensor<48x40xf32>
    smith.kernel_yield %2 : tensor<48x40xf32>
  }
  return %0 : tensor<48x40xf32>
}
