// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=blocks fix=mbs=8,tp=4" | FileCheck %s

// A quarter of each product of a layer: 262144 / 4 = 65536 per pass. An all-reduce
// of 2048 bytes moves 2 · 3 / 4 of them, 3072.

// CHECK: block 1 (layer) with micro-batch=8 tensor=4, tensor 4 over wire: 3 layouts
// CHECK-NEXT: bounds: ops alone 393220, fastest layout 399364
// CHECK: layout 0: takes (whole), hands on (whole)
// CHECK-NEXT: splits layers.*.up by n256, tanh by n256, layers.*.down by n256{{$}}
// CHECK-NEXT: time: forward 131074, backward 131074 + 131072, recompute 0 or 134146
// CHECK-NEXT: tensor exchanges: forward 3072, backward 3072
// CHECK-NEXT: memory: saves 6144, 6144 or 2048, transient 12288, sends 2048

// The sum may be split while its borders are whole. That is slower, as both the
// gradient of the border is gathered and that of the input summed up, but leaves
// a smaller transient. So it is worth having where memory is short.

// CHECK: layout 1: takes (whole), hands on (whole)
// CHECK-NEXT: splits layers.*.up by n256, tanh by n256, layers.*.down by n256, add by n64
// CHECK-NEXT: time: forward 131074, backward 131074 + 131072, recompute 0 or 134146
// CHECK-NEXT: tensor exchanges: forward 3072, backward 6144
// CHECK-NEXT: memory: saves 6144, 6144 or 2048, transient 8192, sends 2048
// CHECK: layout 2: takes (split 1), hands on (split 1)
// CHECK: tensor exchanges: forward 3072, backward 3072
// CHECK-NEXT: memory: saves 4608, 4608 or 512, transient 8192, sends 512

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
