// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.0010803342796862126,/' %{inputs}/one-plain.json > %t.json
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.00012207040563225747,/' %{inputs}/two-plain.json > %t.two.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=ranking fix=mbs=8 forbid=recompute=selective" | FileCheck %s --check-prefix=BATCH
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.two.json %{plain} margin=0 show=ranking fix=mbs=4" | FileCheck %s --check-prefix=MORE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=ranking fix=tp=3" | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=ranking fix=tp=2,dp=2" | FileCheck %s --check-prefix=BOTH

// 69632 parameters of 16 bytes and 36864 + 32768 bytes of activations: 1183744.
// The device has 1160000.

// BATCH: ranking: 0 plans of 1 configurations
// BATCH: nearest: tensor=1 pipeline=1 data=1 micro-batch=8 recompute=none
// BATCH-NEXT: missing: 23744 bytes, most are optimizer state

// What is given is left out piece by piece until something fits.

// BATCH-NEXT: tried: recompute left open, does not fit
// BATCH-NEXT: tried: micro-batch left open, fits

// On two devices that have an eighth of that no plan of these degrees fits.

// MORE: ranking: 0 plans
// MORE: nearest: tensor=2
// MORE-NEXT: missing: [[#]] bytes, most are optimizer state

// Contradictions have no nearest plan.

// TENSOR: contradiction: what was given leaves no plan for 2 devices; there are plans without the value of tensor
// TENSOR-NOT: nearest
// BOTH: contradiction: what was given leaves no plan for 2 devices; there are plans without the value of tensor, or of data

module @residual {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %up0: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.0.up"},
      %down0: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.0.down"},
      %up1: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.1.up"},
      %down1: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.1.down"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %up0, %down0)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %up1, %down1)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %up: tensor<64x256xf32>, %down: tensor<256x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.tanh %0 : tensor<8x256xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
        : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %3 = stablehlo.add %x, %2 : tensor<8x64xf32>
    return %3 : tensor<8x64xf32>
  }
}
