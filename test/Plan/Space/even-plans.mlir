// RUN: split-file %s %t
// RUN: shardsmith-opt %t/batch.mlir -o /dev/null --print-search="%{six-plain} show=space fix=tp=1,pp=1,dp=1..4,even=on" | FileCheck %s --check-prefix=CHECK
// RUN: shardsmith-opt %t/heads.mlir -o /dev/null --print-search="%{six-plain} show=space fix=pp=1,cp=1,dp=1,mbs=4" | FileCheck %s --check-prefix=ANY
// RUN: shardsmith-opt %t/heads.mlir -o /dev/null --print-search="%{six-plain} show=space fix=pp=1,cp=1,dp=1,mbs=4,even=on" | FileCheck %s --check-prefix=HEADS

// With `even=on` every data rank has as many sequences as any other, in full
// micro-batches: data · micro-batch divides 6.
//
//     data 1   micro-batches of 1 2 3 6
//     data 2                    1 3
//     data 3                    1 2
//     data 4   none

// CHECK: space: 8 configurations
// CHECK: data: 1, 2, 3
// CHECK-NEXT: not 4: no combination with it is allowed
// CHECK: data=1 pipeline=1 micro-batch=1:
// CHECK: data=1 pipeline=1 micro-batch=2:
// CHECK: data=1 pipeline=1 micro-batch=3:
// CHECK: data=1 pipeline=1 micro-batch=6:
// CHECK: data=2 pipeline=1 micro-batch=1:
// CHECK: data=2 pipeline=1 micro-batch=3:
// CHECK: data=3 pipeline=1 micro-batch=1:
// CHECK: data=3 pipeline=1 micro-batch=2:

// And every tensor rank has as many of the four heads.

// ANY: tensor: 1, 2, 3, 4, 5, 6
// HEADS: tensor: 1, 2, 4
// HEADS-NEXT: not 3: no combination with it is allowed

//--- batch.mlir
module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<6x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<6x64xf32>, tensor<64x64xf32>) -> tensor<6x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<6x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- heads.mlir
module @attention {
  func.func @main(
      %wq: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wq"},
      %wk: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wk"},
      %wv: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wv"},
      %wo: tensor<4x8x32xf32> {smith.role = "param", smith.name = "wo"},
      %x: tensor<4x16x32xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2],
        contracting_dims = [3] x [3]
        : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x16xf32>
    %most = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum
        across dimensions = [3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1, 2] : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %shifted = stablehlo.subtract %scores, %mosts : tensor<4x4x16x16xf32>
    %e = stablehlo.exponential %shifted : tensor<4x4x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add
        across dimensions = [3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<4x4x16x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2],
        contracting_dims = [3] x [1]
        : (tensor<4x4x16x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x8xf32>
    %out = stablehlo.dot_general %mixed, %wo, contracting_dims = [1, 3] x [0, 1]
        : (tensor<4x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
    %loss = stablehlo.reduce(%out init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
