// RUN: shardsmith-opt %s --emit-cuda-kernels --split-input-file --verify-diagnostics
//
// One row per block, and more rows than a grid has blocks.

func.func @main(%x: tensor<3000000000x100000xf32> {smith.offset = 0 : i64}) -> (tensor<3000000000xf32> {smith.offset = 0 : i64}) {
  // expected-error @below {{needs 3000000000 blocks of threads; a grid has at most 2147483647}}
  %0 = smith.kernel(%x) domain = [3000000000, 100000] reduced = [1] attributes {smith.offsets = array<i64: 0>} : (tensor<3000000000x100000xf32>) -> tensor<3000000000xf32> {
  ^bb0(%row: tensor<3000000000x100000xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%row init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3000000000x100000xf32>, tensor<f32>) -> tensor<3000000000xf32>
    smith.kernel_yield %1 : tensor<3000000000xf32>
  }
  return %0 : tensor<3000000000xf32>
}

// -----

// Functions are made once.

// expected-error @below {{the program has device functions already, or uses their module's name, @kernels}}
gpu.module @kernels {
}
func.func @main(%x: tensor<4xf32> {smith.offset = 0 : i64}) -> (tensor<4xf32> {smith.offset = 0 : i64}) {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = smith.kernel(%x) domain = [8] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  // expected-error@+1 {{is launched together with a kernel that computes something else; 'join-launches' numbers equal kernels alone}}
  %1 = smith.kernel(%y) domain = [8] reduced = [] attributes {smith.joint_launch = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.abs %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
