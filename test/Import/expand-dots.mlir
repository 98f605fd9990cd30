// RUN: shardsmith-opt %s --expand-dots | FileCheck %s

sdy.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func @main(
func.func @main(%m: tensor<4x8xf32>, %n: tensor<8x2xf32>, %v: tensor<8xf32>, %b: tensor<8xbf16>)
    -> (tensor<4x2xf32>, tensor<4xf32>, tensor<2xf32>, tensor<f32>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %0 = stablehlo.dot %m, %n, precision = [HIGHEST, DEFAULT] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.dot %m, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x2xf32>) -> tensor<2xf32>
  %2 = stablehlo.dot %v, %n : (tensor<8xf32>, tensor<8x2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0] : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<f32>
  %3 = stablehlo.dot %b, %b : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<f32>
  // CHECK-NOT: stablehlo.dot %
  return %0, %1, %2, %3 : tensor<4x2xf32>, tensor<4xf32>, tensor<2xf32>, tensor<f32>
}
