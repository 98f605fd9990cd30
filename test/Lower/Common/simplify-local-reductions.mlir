// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cuda}))' | FileCheck %s
// RUN: shardsmith-opt %s --pass-pipeline='builtin.module(func.func(simplify-local{target=cpu}))' | FileCheck %s --check-prefix=CPU
//
// NCCL reduces no integers of 16 bits.

sdy.mesh @mesh = <["data"=2]>

// CPU-NOT: stablehlo.convert
// CHECK-LABEL: @sums
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4xui16>) -> tensor<4xui32>
// CHECK: %[[SUM:.*]] = smith.all_reduce %[[X]] {{.*}} tensor<4xui32>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<4xui32>) -> tensor<4xui16>
// CHECK: %[[Y:.*]] = stablehlo.convert %arg1 : (tensor<4xi16>) -> tensor<4xi32>
// CHECK: %[[PART:.*]] = smith.reduce_scatter %[[Y]] {{.*}} tensor<2xi32>
// CHECK: stablehlo.convert %[[PART]] : (tensor<2xi32>) -> tensor<2xi16>
// CHECK: smith.all_reduce %arg2 {{.*}} tensor<4xi8>
func.func @sums(%x: tensor<4xui16>, %y: tensor<4xi16>, %z: tensor<4xi8>) -> (tensor<4xui16>, tensor<2xi16>, tensor<4xi8>) {
  %0 = smith.all_reduce %x over ["data"] kind = sum : tensor<4xui16>
  %1 = smith.reduce_scatter %y over ["data"] dim = 0 kind = sum : tensor<4xi16> -> tensor<2xi16>
  %2 = smith.all_reduce %z over ["data"] kind = sum : tensor<4xi8>
  return %0, %1, %2 : tensor<4xui16>, tensor<2xi16>, tensor<4xi8>
}
