// RUN: split-file %s %t
// RUN: shardsmith-opt %t/six.mlir -o /dev/null --print-search="%{six-plain} show=fixed fix=pp=3,mbs=1" | FileCheck %s --check-prefix=LAYERS
// RUN: shardsmith-opt %t/six.mlir -o /dev/null --print-search="%{six-plain} show=fixed fix=pp=4,mbs=1" | FileCheck %s --check-prefix=UNITS
// RUN: shardsmith-opt %t/three.mlir -o /dev/null --print-search="%{six-plain} show=fixed fix=pp=2,mbs=4" | FileCheck %s --check-prefix=FIRST
// RUN: shardsmith-opt %t/three.mlir -o /dev/null --print-search="%{six-plain} show=fixed fix=pp=5,mbs=1" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %t/three.mlir -o /dev/null --print-search="%{two-plain} show=fixed fix=pp=2,vpp=2,mbs=4" | FileCheck %s --check-prefix=STAGES

// Six layers on three ranks: two each, with the first unit in the first stage and
// the last unit in the last one.

// LAYERS: equal stages: begin at 0, 3, 5, 8
// LAYERS-NEXT: plan: 638295 tensor=1 pipeline=3 data=1 micro-batch=1 1f1b recompute=none
// LAYERS-NEXT: fits

// Four ranks do not divide six layers, but eight units.

// UNITS: equal stages: begin at 0, 2, 4, 6, 8

// Two ranks divide neither three layers nor five units: the first stage gets a
// layer more.

// FIRST: equal stages: begin at 0, 3, 5
// FIRST-NEXT: plan: 709633 tensor=1 pipeline=2 data=1 micro-batch=4 1f1b recompute=none
// ALL: equal stages: begin at 0, 1, 2, 3, 4, 5

// Four stages want four layers.

// STAGES: equal stages: fewer layers than stages
// STAGES-NEXT: no plan: 4 stages for 5 units of the model

//--- six.mlir
module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %w4: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.4.w"},
      %w5: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.5.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = call @layer(%3, %w4) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %5 = call @layer(%4, %w5) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%5 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}

//--- three.mlir
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
