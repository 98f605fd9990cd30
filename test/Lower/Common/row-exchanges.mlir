// RUN: shardsmith-opt %s --simplify-local=target=cuda | FileCheck %s
// RUN: shardsmith-opt %s --simplify-local=target=cpu | FileCheck %s --check-prefix=EXACT
//
// Where the number of rows in use cannot be learned without a wait, all slots
// travel, and those that are not in use become zeros.

// CHECK-LABEL: @main
// CHECK-SAME: %[[PACKED:.*]]: tensor<2x3x4x8xf32>, %[[SENDS:.*]]: tensor<2x3x2xi32>, %[[RECEIVES:.*]]: tensor<1x6x2xi32>
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<1x6x4x8xf32>
// CHECK: %[[THERE:.*]] = smith.exchange_blocks %[[PACKED]] over ["expert"] : tensor<2x3x4x8xf32>
// CHECK: %[[ALL:.*]] = stablehlo.reshape %[[THERE]] : {{.*}} -> tensor<1x6x4x8xf32>
// CHECK: %[[LAST:.*]] = stablehlo.slice %[[RECEIVES]] [0:1, 0:6, 1:2]
// CHECK: %[[COUNT:.*]] = stablehlo.reshape %[[LAST]] : {{.*}} -> tensor<1x6xi32>
// CHECK: %[[USED:.*]] = stablehlo.broadcast_in_dim %[[COUNT]], dims = [0, 1] {{.*}} -> tensor<1x6x4x8xi32>
// CHECK: %[[SLOT:.*]] = stablehlo.iota dim = 2
// CHECK: %[[IS:.*]] = stablehlo.compare LT, %[[SLOT]], %[[USED]]
// CHECK: stablehlo.select %[[IS]], %[[ALL]], %[[ZERO]]
// CHECK-NOT: exchange_rows
// EXACT: smith.exchange_rows
// EXACT-NOT: exchange_blocks
sdy.mesh @mesh = <["expert"=2, "tensor"=2]>
func.func @main(%packed: tensor<2x3x4x8xf32>, %sends: tensor<2x3x2xi32>, %receives: tensor<1x6x2xi32>) -> tensor<1x6x4x8xf32> {
  %0 = smith.exchange_rows %packed sends %sends receives %receives over ["expert"] expected = 12 : tensor<2x3x4x8xf32>, tensor<2x3x2xi32>, tensor<1x6x2xi32> -> tensor<1x6x4x8xf32>
  return %0 : tensor<1x6x4x8xf32>
}
