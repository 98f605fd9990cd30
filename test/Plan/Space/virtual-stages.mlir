// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=1,dp=1,pp=2,mbs=1" | FileCheck %s --check-prefix=UNITS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=1,dp=1,pp=2,mbs=1,vpp=9" | FileCheck %s --check-prefix=NINE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=1,dp=1,pp=2,mbs=1,vpp=3..4" | FileCheck %s --check-prefix=RANGE

// Two ranks share 20 units, so they may have up to ten stages each. Interleaved
// schedules are looked at with two to eight.

// UNITS: schedules: {{.*}}, interleaved with 2 stages per rank, interleaved with 3 stages per rank, interleaved with 4 stages per rank, interleaved with 5 stages per rank, interleaved with 6 stages per rank, interleaved with 7 stages per rank, interleaved with 8 stages per rank{{$}}

// More than eight have to be asked for, and leave no other family.

// NINE: schedules: interleaved with 9 stages per rank{{$}}
// NINE-NEXT: not gpipe: not allowed
// RANGE: schedules: interleaved with 3 stages per rank, interleaved with 4 stages per rank{{$}}

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
      %w12: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.12.w"},
      %w13: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.13.w"},
      %w14: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.14.w"},
      %w15: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.15.w"},
      %w16: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.16.w"},
      %w17: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.17.w"},
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
    %6 = call @layer(%5, %w6) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %7 = call @layer(%6, %w7) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %8 = call @layer(%7, %w8) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %9 = call @layer(%8, %w9) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %10 = call @layer(%9, %w10) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %11 = call @layer(%10, %w11) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %12 = call @layer(%11, %w12) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %13 = call @layer(%12, %w13) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %14 = call @layer(%13, %w14) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %15 = call @layer(%14, %w15) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %16 = call @layer(%15, %w16) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %17 = call @layer(%16, %w17) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%17 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
