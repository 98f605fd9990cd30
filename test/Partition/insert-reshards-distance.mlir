// RUN: shardsmith-opt %s --insert-reshards=share-distance=3 | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// The first two uses share a gathered parameter, the third is too far behind.
// CHECK-LABEL: @main
func.func @main(%w: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %v: tensor<8xf32>) {
  // CHECK-NEXT: stablehlo.tanh
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: stablehlo.add %{{.*}}, %[[A]]
  // CHECK-NEXT: stablehlo.multiply %{{.*}}, %[[A]]
  // CHECK-NEXT: stablehlo.tanh
  // CHECK-NEXT: stablehlo.tanh
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: stablehlo.add %{{.*}}, %[[B]]
  %0 = stablehlo.tanh %v {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  %1 = stablehlo.add %0, %w {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  %2 = stablehlo.multiply %1, %w {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  %3 = stablehlo.tanh %2 {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  %4 = stablehlo.tanh %3 {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  %5 = stablehlo.add %4, %w {smith.factor_axes = #smith.factor_axes<[{}]>} : tensor<8xf32>
  return
}
