// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.0005587936379015445,/' %{inputs}/two-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=ranking fix=mbs=1 plans=3" | FileCheck %s

// 69632 parameters with gradients and states are 1114112 bytes, and a device has
// 600000: one device is too small, and so is every one of two data ranks that
// hold all parameters. Half of everything fits on each of two tensor ranks.

// CHECK: ranking: 2 plans of 4 configurations
// CHECK-NEXT: proof: exact, cost 1646672, no plan below 1646672
// CHECK-NEXT: excluded: 1 without room, 1 by bounds
// CHECK-NEXT: plan 1: 1646672 tensor=2 pipeline=1 data=1 micro-batch=1
// CHECK-NEXT: time: compute 1638480, recompute 0, tensor 8192
// CHECK-NEXT: rank 0: 561408 of 600000 bytes; parameters 139264, gradients 139264, states 278528, activations 2304 for 1 micro-batches, workspace 2048

// Of two stages the first has the first product and a layer, 36864 parameters.
// That leaves 10176 bytes for two micro-batches in flight.

// CHECK: plan 2: 1773861 tensor=1 pipeline=2 data=1 micro-batch=1 zb-h1
// CHECK: rank 0: 599040 of 600000 bytes; parameters 147456, gradients 147456, states 294912, activations 4608 for 2 micro-batches, workspace 4096, messages 512

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
