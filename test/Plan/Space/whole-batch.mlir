// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=chain,space fix=tp=1,pp=1" | FileCheck %s

// Each sample depends on the mean of all of them, so a data rank works on all
// its sequences at once: ceil(8 / d) of them.

// CHECK: one micro-batch: 'stablehlo.subtract' at {{.*}}whole-batch.mlir:{{[0-9]+}}:{{[0-9]+}} combines a value of the whole batch with values of single sequences
// CHECK: space: 4 configurations
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=8: 1 micro-batches
// CHECK: configuration tensor=1 data=2 pipeline=1 micro-batch=4: 1 micro-batches
// CHECK: configuration tensor=1 data=3 pipeline=1 micro-batch=3: 1 micro-batches
// CHECK: configuration tensor=1 data=4 pipeline=1 micro-batch=2: 1 micro-batches

// Who asks for several micro-batches is told what is in the way.

// RUN: %exits 2 shardsmith plan %s --cluster 8xh100 --fix pp=8 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: what was given leaves no plan: a pipeline of 8 ranks needs as many layers or other units, and the model has {{[0-9]}}

// RUN: %exits 2 shardsmith plan %s --cluster cpu:2 --fix mbs=1 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: what was given needs several micro-batches, and the batch cannot be cut: 'stablehlo.subtract' at
// GIVEN-SAME: combines a value of the whole batch with values of single sequences; 'stablehlo.{{.*}}' at {{.*}} combines those of the batch; use one micro-batch per step

module @batch_norm {
  func.func @main(
      %w: tensor<16x16xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
    %d = stablehlo.subtract %y, %sums : tensor<8x16xf32>
    %sq = stablehlo.multiply %d, %d : tensor<8x16xf32>
    %loss = stablehlo.reduce(%sq init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
