// RUN: shardsmith-opt %s --schedule-stages | FileCheck %s

// Two stages on two ranks, two micro-batches. The first parameter is on rank 0,
// the second on rank 1; what goes between them is the output of stage 0, and
// its gradient.

// CHECK: func.func private @main(tensor<4x4xf32> {smith.name = "a"
// CHECK-SAME: tensor<4x4xf32> {smith.name = "b"

// The forward pass of stage 0 takes the number of the micro-batch.
// CHECK-LABEL: func.func private @forward_0
// CHECK-SAME: (%[[I:.*]]: tensor<i32>, %[[X:.*]]: tensor<2x2x4xf32>, %[[A:.*]]: tensor<4x4xf32>)
// CHECK: stablehlo.dynamic_slice %[[X]]
// CHECK: %[[Y:.*]] = stablehlo.dot_general %{{.*}}, %[[A]]
// CHECK: return %[[Y]]

// Its sum comes last, behind what it makes.
// CHECK-LABEL: func.func private @forward_1
// CHECK: %[[LOSS:.*]] = stablehlo.add
// CHECK: return %{{.*}}, %[[LOSS]]

// Only the gradient of what was received is awaited by another stage.
// CHECK-LABEL: func.func private @backward_1
// CHECK: stablehlo.dot_general
// CHECK-NOT: stablehlo.dot_general
// CHECK: return

// CHECK-LABEL: func.func private @weights_0
// CHECK-SAME: -> (tensor<4x4xf32> {smith.name = "sum.0", smith.role = "state"})
// CHECK-LABEL: func.func private @weights_1

// CHECK-LABEL: func.func private @rank_0
// CHECK-SAME: (%[[A0:.*]]: tensor<4x4xf32> {smith.name = "a", smith.position = 0
// CHECK-SAME: %[[X0:.*]]: tensor<4x4xf32> {{.*}}smith.position = 2
// CHECK-SAME: attributes {smith.coordinate = 0
// CHECK: %[[F0:.*]] = smith.run @forward_0 micro_batch = 0
// CHECK-NEXT: smith.send %[[F0]] to 1 along "pipeline"
// CHECK: %[[F1:.*]] = smith.run @forward_0 micro_batch = 1
// CHECK-NEXT: smith.send %[[F1]] to 1 along "pipeline"
// CHECK: %[[D0:.*]] = smith.receive from 1 along "pipeline"
// CHECK: %[[S0:.*]] = smith.run @weights_0 micro_batch = 0 with(%{{.*}}, %[[D0]]) carry(%{{.*}})
// CHECK: %[[D1:.*]] = smith.receive from 1 along "pipeline"
// CHECK: %[[S1:.*]] = smith.run @weights_0 micro_batch = 1 with(%{{.*}}, %[[D1]]) carry(%[[S0]])
// CHECK: stablehlo.subtract %[[A0]], %[[S1]]
// The loss is everywhere.
// CHECK: %[[L0:.*]] = smith.receive from 1 along "pipeline" : tensor<f32>
// CHECK: return %{{.*}}, %[[L0]]

// CHECK-LABEL: func.func private @rank_1
// CHECK-SAME: smith.name = "b", smith.position = 1
// CHECK: smith.receive from 0
// CHECK: smith.run @forward_1 micro_batch = 0
// CHECK: smith.run @backward_1 micro_batch = 0
// CHECK-NEXT: smith.send
// CHECK: smith.run @weights_1 micro_batch = 0
// CHECK: smith.receive from 0
// CHECK: smith.run @forward_1 micro_batch = 1
// CHECK: smith.send %{{.*}} to 0 along "pipeline" : tensor<f32>

module attributes {smith.schedule = "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%a: tensor<4x4xf32> {smith.name = "a", smith.role = "param"},
                  %b: tensor<4x4xf32> {smith.name = "b", smith.role = "param"},
                  %x: tensor<4x4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<4x4xf32> {smith.name = "a", smith.role = "param"},
          tensor<4x4xf32> {smith.name = "b", smith.role = "param"},
          tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %i = smith.micro_batch_index of 2 : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %apart = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<2x2x4xf32>
    %part = stablehlo.dynamic_slice %apart, %zero, %i, %zero, sizes = [2, 1, 4]
        : (tensor<2x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x4xf32>
    %m = stablehlo.reshape %part : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %y = stablehlo.dot_general %m, %a, contracting_dims = [1] x [0] {smith.stage = 0 : i64}
        : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %z = stablehlo.dot_general %y, %b, contracting_dims = [1] x [0] {smith.stage = 1 : i64}
        : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %q = stablehlo.multiply %z, %z {smith.stage = 1 : i64} : tensor<2x4xf32>
    %l = stablehlo.reduce(%q init: %none) applies stablehlo.add across dimensions = [0, 1]
        {smith.stage = 1 : i64} : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %dz = stablehlo.add %z, %z {smith.stage = 1 : i64, smith.backward} : tensor<2x4xf32>
    %dy = stablehlo.dot_general %dz, %b, contracting_dims = [1] x [1] {smith.stage = 1 : i64, smith.backward}
        : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %db = stablehlo.dot_general %y, %dz, contracting_dims = [0] x [0] {smith.stage = 1 : i64, smith.backward}
        : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %da = stablehlo.dot_general %m, %dy, contracting_dims = [0] x [0] {smith.stage = 0 : i64, smith.backward}
        : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %sa = smith.accumulate %da kind = sum : tensor<4x4xf32>
    %sb = smith.accumulate %db kind = sum : tensor<4x4xf32>
    %sl = smith.accumulate %l kind = sum : tensor<f32>
    %newA = stablehlo.subtract %a, %sa : tensor<4x4xf32>
    %newB = stablehlo.subtract %b, %sb : tensor<4x4xf32>
    return %newA, %newB, %sl : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>
  }
}
