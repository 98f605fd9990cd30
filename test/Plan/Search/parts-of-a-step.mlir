// RUN: sed 's/"optimizer_bytes_per_parameter": 0/"optimizer_bytes_per_parameter": 30000000000/' %{inputs}/plain.json > %t.profile
// RUN: sed 's/"straggler_per_doubling": 0,/"straggler_per_doubling": 0.01, "fixed_ms": 1,/' %{inputs}/plain.json > %t.waiting
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=ranking fix=mbs=4,tp=1,pp=1,dp=2,zero=0" | FileCheck %s --check-prefix=WHOLE
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=ranking fix=mbs=4,tp=1,pp=1,dp=2,zero=1" | FileCheck %s --check-prefix=SHARED
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-nodes.json profile=%t.waiting show=ranking fix=mbs=2,tp=1,pp=1,dp=4,zero=0" | FileCheck %s --check-prefix=WAITING

// The optimizer moves 3 · 10^10 bytes per parameter through memory of 10^18 bytes
// per second: 30 nanoseconds for each of 12288 parameters.

// WHOLE: plan 1: 679938 tensor=1 pipeline=1 data=2 micro-batch=4
// WHOLE-NEXT: time: compute 262146, {{.*}}data 49152, pipeline 0, bubble 0, optimizer 368640, straggler 0, fixed 0
// WHOLE-NEXT: rank 0: 202752 of {{[0-9]+}} bytes; parameters 49152, gradients 49152, states 98304

// With ZeRO-1 each of two ranks has half of the states, and half of that work.

// SHARED: plan 1: 495618 tensor=1 pipeline=1 data=2 zero=1 micro-batch=4
// SHARED-NEXT: time: compute 262146, {{.*}}data 49152, pipeline 0, bubble 0, optimizer 184320,
// SHARED-NEXT: rank 0: 153600 of {{[0-9]+}} bytes; parameters 49152, gradients 49152, states 49152

// Two nodes are one doubling: ranks wait for a hundredth of 131074 + 49152, and
// every step begins with a millisecond.

// WAITING: plan 1: 1182028
// WAITING-NEXT: time: compute 131074, {{.*}}data 49152, pipeline 0, bubble 0, optimizer 0, straggler 1802, fixed 1000000

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
