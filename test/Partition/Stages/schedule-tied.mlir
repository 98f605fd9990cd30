// RUN: shardsmith-opt %s --schedule-stages | FileCheck %s

// A parameter that both stages read is on both ranks. Its gradients are summed
// where each is made, added up once per step, and the new value is sent to the
// other rank. What nobody reads stays with the first rank.

// CHECK-LABEL: func.func private @rank_0
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {smith.name = "w"
// CHECK-SAME: smith.name = "idle"
// CHECK: smith.run @forward_0
// CHECK: smith.send
// CHECK: smith.receive
// CHECK: %[[SUM0:.*]] = smith.run @weights_0
// CHECK: %[[SUM1:.*]] = smith.receive from 1 along "pipeline" : tensor<4xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[SUM0]], %[[SUM1]]
// CHECK: %[[NEW:.*]] = stablehlo.subtract %[[W]], %[[SUM]]
// CHECK: smith.send %[[NEW]] to 1
// CHECK: return %[[NEW]], %{{.*}} : tensor<4xf32>, tensor<2xf32>

// CHECK-LABEL: func.func private @rank_1
// CHECK-SAME: (%{{.*}}: tensor<4xf32> {smith.name = "w"
// CHECK-NOT: smith.name = "idle"
// CHECK: %[[OWN:.*]] = smith.run @weights_1
// CHECK: smith.send %[[OWN]] to 0
// CHECK: %[[GIVEN:.*]] = smith.receive from 0 along "pipeline" : tensor<4xf32>
// CHECK: return %[[GIVEN]]

module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
                  %idle: tensor<2xf32> {smith.name = "idle", smith.role = "param"},
                  %x: tensor<1x4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<4xf32> {smith.name = "w", smith.role = "param"},
          tensor<2xf32> {smith.name = "idle", smith.role = "param"}) {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %part = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 4]
        : (tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %m = stablehlo.reshape %part : (tensor<1x4xf32>) -> tensor<4xf32>
    %y = stablehlo.multiply %m, %w {smith.stage = 0 : i64} : tensor<4xf32>
    %dz = stablehlo.multiply %y, %w {smith.stage = 1 : i64} : tensor<4xf32>
    %dw1 = stablehlo.multiply %y, %dz {smith.stage = 1 : i64, smith.backward} : tensor<4xf32>
    %dy = stablehlo.multiply %w, %dz {smith.stage = 1 : i64, smith.backward} : tensor<4xf32>
    %dw0 = stablehlo.multiply %m, %dy {smith.stage = 0 : i64, smith.backward} : tensor<4xf32>
    %s0 = smith.accumulate %dw0 kind = sum : tensor<4xf32>
    %s1 = smith.accumulate %dw1 kind = sum : tensor<4xf32>
    %g = stablehlo.add %s0, %s1 : tensor<4xf32>
    %new = stablehlo.subtract %w, %g : tensor<4xf32>
    return %new, %idle : tensor<4xf32>, tensor<2xf32>
  }
}
