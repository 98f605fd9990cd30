// RUN: shardsmith-opt %s --search-strategy="%{four-plain}" | FileCheck %s --check-prefix=PASS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking plans=1" | FileCheck %s --check-prefix=VIEW

// What search-strategy writes into the module is the first plan of the ranking,
// with its proof. Nothing but bounds excludes the other 72 configurations.

// PASS: smith.plan = {bound_ns = 84994 : i64, cluster = "four plain devices", profile = "plain", proof = "exact", step_ns = 84994 : i64
// PASS-SAME: degrees = {context = 1 : i64, data = 1 : i64, expert = 1 : i64, pipeline = 1 : i64, tensor = 4 : i64
// VIEW: ranking: 1 plans of 73 configurations
// VIEW-NEXT: proof: exact, cost 84994, no plan below 84994
// VIEW-NEXT: excluded: 0 without room, 72 by bounds
// VIEW-NEXT: plan 1: 84994 tensor=4 pipeline=1 data=1 micro-batch=8 recompute=none

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
