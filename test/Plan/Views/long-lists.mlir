// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=cpu:16 %{plain} show=space fix=pp=1" | FileCheck %s --check-prefix=CHECK
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=tp=1,dp=1,pp=2,mbs=8,vpp=6,schedule=interleaved" | FileCheck %s --check-prefix=CUTS

// 16 devices and 512 sequences make more configurations than are listed.

// CHECK: space: [[#ALL:]] configurations
// CHECK-COUNT-256: configuration tensor=
// CHECK-NOT: configuration tensor
// CHECK: and [[#ALL-256]] more configurations

// 12 stages of 14 units may be cut in 13 over 11 = 78 ways.

// CUTS: stages: 14 units
// CUTS: more than 64 cuts

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %w4: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.4.w"},
      %w5: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.5.w"},
      %w6: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.6.w"},
      %w7: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.7.w"},
      %w8: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.8.w"},
      %w9: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.9.w"},
      %w10: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.10.w"},
      %w11: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.11.w"},
      %x: tensor<512x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %4 = call @layer(%3, %w4) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %5 = call @layer(%4, %w5) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %6 = call @layer(%5, %w6) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %7 = call @layer(%6, %w7) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %8 = call @layer(%7, %w8) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %9 = call @layer(%8, %w9) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %10 = call @layer(%9, %w10) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %11 = call @layer(%10, %w11) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %loss = stablehlo.reduce(%11 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<512x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    return %0 : tensor<512x64xf32>
  }
}
