// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages,ranking fix=mbs=4,stages=1+4,tp=1,dp=1,schedule=1f1b plans=1" | FileCheck %s
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages,ranking fix=mbs=2,pp=2,stages=2+1+1+1,schedule=interleaved plans=1" | FileCheck %s --check-prefix=SEVERAL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=ranking fix=mbs=4,stages=5 plans=1" | FileCheck %s --check-prefix=ONE
// RUN: not shardsmith-opt %s --search-strategy="%{two-plain} fix=stages=2+2" 2>&1 | FileCheck %s --check-prefix=UNITS
// RUN: not shardsmith-opt %s --search-strategy="%{two-plain} fix=pp=1,stages=2+3" 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not shardsmith-opt %s --search-strategy="%{two-plain} fix=stages=1+1+1+1+1" 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not shardsmith-opt %s --search-strategy="%{two-plain} fix=stages=0+5" 2>&1 | FileCheck %s --check-prefix=NUMBER

// The cut that is given, whatever others take: every-cut.mlir has this chain, of
// which a rank that has the first unit takes 67584 per micro-batch and the other
// one 294914. Each cut after the second would be faster. The pipeline has as many
// ranks as there are stages, or a part of them.

// CHECK: stages: 5 units
// CHECK-NEXT: tensor=1 data=1 pipeline=2 micro-batch=4 1f1b zero 0 order tensor-context-data-pipeline
// CHECK-NEXT: best: step 771077, played 771077
// CHECK-NEXT: stage 0 on rank 0: units [0, 1), recompute 1 none
// CHECK-NEXT: stage 1 on rank 1: units [1, 5), recompute 4 none
// CHECK: plan 1: 771077 tensor=1 pipeline=2 data=1 micro-batch=4 1f1b

// SEVERAL: stage 0 on rank 0: units [0, 2)
// SEVERAL-NEXT: stage 1 on rank 1: units [2, 3)
// SEVERAL-NEXT: stage 2 on rank 0: units [3, 4)
// SEVERAL-NEXT: stage 3 on rank 1: units [4, 5)
// SEVERAL: plan 1: [[#]] tensor=1 pipeline=2 virtual-stages=2 data=1

// ONE: plan 1: [[#]] {{.*}}pipeline=1

// UNITS: error: what was given leaves no plan: stages has 4 units, and the model has 5
// RANKS: error: what was given leaves no plan for 2 devices; there are plans without the value of stages, or of pipeline
// DEVICES: error: what was given leaves no plan for 2 devices; there are plans without the value of stages
// NUMBER: error: fix: stages=0+5: expected the number of units of each stage, such as 3+1+2

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
