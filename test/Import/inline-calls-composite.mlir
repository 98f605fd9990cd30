// RUN: shardsmith-opt %s --inline-calls | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func public @main(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[TANH:.*]] = stablehlo.tanh %[[X]]
  %0 = stablehlo.composite "jax.gelu" %x {composite_attributes = {approximate = true}, decomposition = @gelu} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %[[SINE:.*]] = stablehlo.sine %[[TANH]]
  %1 = sdy.named_computation<"layer">(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%y: tensor<8xf32>) {
    %2 = stablehlo.sine %y : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[SINE]]
  return %1 : tensor<8xf32>
}
// CHECK-NOT: @gelu
func.func private @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
