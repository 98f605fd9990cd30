// RUN: shardsmith-opt %s --expand-bitcasts | FileCheck %s

// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x2xui32>)
// CHECK-DAG:     %[[LOW:.*]] = stablehlo.slice %[[X]] [0:3, 0:1]
// CHECK-DAG:     %[[HIGH:.*]] = stablehlo.slice %[[X]] [0:3, 1:2]
// CHECK-DAG:     stablehlo.constant dense<32> : tensor<ui64>
// CHECK:         %[[Y:.*]] = stablehlo.or %{{.*}}, %{{.*}} : tensor<3xui64>
// CHECK:         return %[[Y]]
func.func @joined(%x: tensor<3x2xui32>) -> tensor<3xui64> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3x2xui32>) -> tensor<3xui64>
  return %0 : tensor<3xui64>
}

// CHECK-LABEL: func.func @parted(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3xf32>)
// CHECK:         %[[BITS:.*]] = stablehlo.bitcast_convert %[[X]] : (tensor<3xf32>) -> tensor<3xui32>
// CHECK:         %[[PARTS:.*]] = stablehlo.concatenate {{.*}}, dim = 1 : ({{.*}}) -> tensor<3x4xui8>
// CHECK:         stablehlo.bitcast_convert %[[PARTS]] : (tensor<3x4xui8>) -> tensor<3x4xi8>
func.func @parted(%x: tensor<3xf32>) -> tensor<3x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x4xi8>
  return %0 : tensor<3x4xi8>
}

// CHECK-LABEL: func.func @same(
// CHECK-NEXT:    stablehlo.bitcast_convert %{{.*}} : (tensor<3xf32>) -> tensor<3xi32>
// CHECK-NEXT:    return
func.func @same(%x: tensor<3xf32>) -> tensor<3xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
