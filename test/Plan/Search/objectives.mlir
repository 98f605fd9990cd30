// RUN: sed 's/"kernel_launch_us": 0/"kernel_launch_us": 0, "price_per_hour_usd": 3.6/' %{inputs}/four-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} show=ranking plans=3 fix=mbs=1,pp=1" | FileCheck %s --check-prefix=TIME
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} show=ranking plans=3 fix=mbs=1,pp=1 objective=dollars" | FileCheck %s --check-prefix=DOLLARS
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} show=ranking fix=mbs=1,pp=1 objective=front" | FileCheck %s --check-prefix=FRONT

// A device costs a thousandth of a dollar per second, so a nanosecond of one is
// 10^-12 dollars.

// TIME: plan 1: 85008 tensor=4 pipeline=1 data=1
// TIME-NEXT: price of a step: 3.40032e-07

// One device exchanges nothing, and so is the cheapest: 327696 · 10^-12.

// DOLLARS: proof: exact, cost 328, no plan below 328
// DOLLARS: plan 1: 327696 tensor=1 pipeline=1 data=1
// DOLLARS-NEXT: price of a step: 3.27696e-07
// DOLLARS: not first: {{.*}} % dearer: 2 devices for 0.2 ms

// The front has every plan that no other is as fast as and as cheap as: four
// tensor ranks, two, and one. Three have 22 of 64 columns, and are dearer than
// four.

// FRONT: ranking: 3 plans
// FRONT: plan 1: 85008 tensor=4
// FRONT-NEXT: price of a step: 3.40032e-07
// FRONT: plan 2: 165904 tensor=2
// FRONT-NEXT: price of a step: 3.31808e-07
// FRONT: not first: 95.2 % slower, 2.6 % cheaper
// FRONT: plan 3: 327696 tensor=1
// FRONT-NEXT: price of a step: 3.27696e-07
// FRONT: not first: 285.5 % slower, 3.8 % cheaper

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
