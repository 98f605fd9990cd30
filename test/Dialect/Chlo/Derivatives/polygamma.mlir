// RUN: shardsmith-opt %s --differentiate --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func public @main(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<8xf32>
// CHECK-DAG:     %[[THREE:.*]] = stablehlo.constant dense<3.000000e+00>
// CHECK:         chlo.polygamma %{{.*}}, %[[Q]]
// CHECK:         chlo.polygamma %[[THREE]], %[[Q]]
func.func public @main(
    %q: tensor<8xf32> {smith.name = "q", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<8xf32>
  %y = chlo.polygamma %two, %q : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func public @main(
    %q: tensor<8xf32> {smith.name = "q", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %order = stablehlo.abs %q : tensor<8xf32>
  // expected-error @below {{unsupported: no derivative of 'chlo.polygamma' by its order, which follows from an argument}}
  %y = chlo.polygamma %order, %q : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
