// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.00115966796875,/' %{inputs}/one-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=bounds fix=mbs=512,zero=0" | FileCheck %s
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.001094818115234375,/' %{inputs}/one-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=bounds fix=mbs=512,zero=0" | FileCheck %s --check-prefix=NONE

// A device that holds the whole chain has four matrices with gradients and
// states, 262144 bytes, and room for the unit that needs most while it runs: a
// layer, 524288 bytes. The matrix in front needs half of that.
//
// Of 1245184 bytes 458752 are left for what layers save, and two more for
// rounding. Three layers save 786432 bytes, and one that is recomputed takes
// 4194305 ns for 131072 of them, so 327678 bytes less take 10485698 ns.

// CHECK: a device of plain has 1245184 bytes
// CHECK: fastest layouts: 46137352
// CHECK-NEXT: best paths of any order: 56623050
// CHECK-NEXT: best variant: 56623050
// CHECK: step: nothing fits

// However they are recomputed, the layers save 393216 bytes, which makes 1179648
// in all.

// NONE: a device of plain has 1175552 bytes
// NONE: best variant: no room
// NONE-NEXT: step: nothing fits

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %x: tensor<512x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<512x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %1 = stablehlo.tanh %0 : tensor<512x64xf32>
    return %1 : tensor<512x64xf32>
  }
}
