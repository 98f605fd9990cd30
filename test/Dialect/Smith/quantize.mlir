// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --differentiate | FileCheck %s --check-prefix=DERIVED
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: @main
// CHECK: smith.quantize %{{.*}} values = f8E4M3FN : tensor<4xbf16>
// CHECK: smith.quantize %{{.*}} gradients = f8E5M2 : tensor<4xbf16>

// Whoever rounds values hands its gradient on; that of the other one is rounded.
// DERIVED-LABEL: @main
// DERIVED-SAME:  %[[X:[^:]*]]: tensor<4xbf16>
// DERIVED-SAME:  %[[G:[^:]*]]: tensor<4xbf16>
// DERIVED:       %[[Q:.*]] = smith.quantize %[[X]] values = f8E4M3FN
// DERIVED:       %[[R:.*]] = smith.quantize %[[G]] values = f8E5M2 : tensor<4xbf16>
// DERIVED:       %[[T:.*]] = stablehlo.multiply {{.*}}%[[R]]
// DERIVED:       return %[[T]]
func.func public @main(
    %x: tensor<4xbf16> {smith.name = "x", smith.role = "param"},
    %g: tensor<4xbf16> {smith.name = "g", smith.role = "batch"})
    -> (tensor<bf16> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %q = smith.quantize %x values = f8E4M3FN : tensor<4xbf16>
  %s = stablehlo.multiply %q, %g : tensor<4xbf16>
  %y = smith.quantize %s gradients = f8E5M2 : tensor<4xbf16>
  %weighted = stablehlo.multiply %y, %g : tensor<4xbf16>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
  return %loss : tensor<bf16>
}
