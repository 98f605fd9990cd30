// RUN: shardsmith-opt %s --schedule-stages --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// The reader has the value whole, its maker has a part: the part is sent.

// CHECK-LABEL: func.func private @forward_0
// CHECK-NOT: smith.all_gather
// CHECK: return %{{.*}} : tensor<2xf32>
// CHECK-LABEL: func.func private @forward_1
// CHECK: smith.all_gather {{.*}} over ["tensor"]
// CHECK: stablehlo.multiply {{.*}} : tensor<4xf32>
// CHECK-LABEL: func.func private @rank_0
// CHECK: smith.send %{{.*}} to 1 along "pipeline" : tensor<2xf32>

module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2, "tensor"=2]>
  func.func @main(%w: tensor<2xf32> {smith.name = "w", smith.role = "param"})
      -> (tensor<4xf32> {smith.name = "r"}) {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %m = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %y = stablehlo.multiply %m, %w {smith.stage = 0 : i64} : tensor<2xf32>
    %all = smith.all_gather %y over ["tensor"] dim = 0 : tensor<2xf32> -> tensor<4xf32>
    %z = stablehlo.multiply %all, %all {smith.stage = 1 : i64} : tensor<4xf32>
    %s = smith.accumulate %z kind = sum : tensor<4xf32>
    return %s : tensor<4xf32>
  }
}

// -----

// The reader takes two of eight elements: these are sent.

// CHECK-LABEL: func.func private @forward_0
// CHECK: stablehlo.slice
// CHECK: return %{{.*}} : tensor<2xf32>
// CHECK-LABEL: func.func private @rank_0
// CHECK: smith.send %{{.*}} to 1 along "pipeline" : tensor<2xf32>

module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"})
      -> (tensor<2xf32> {smith.name = "r"}) {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %m = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %y = stablehlo.multiply %m, %w {smith.stage = 0 : i64} : tensor<8xf32>
    %part = stablehlo.slice %y [2:4] {smith.stage = 1 : i64} : (tensor<8xf32>) -> tensor<2xf32>
    %z = stablehlo.multiply %part, %part {smith.stage = 1 : i64} : tensor<2xf32>
    %s = smith.accumulate %z kind = sum : tensor<2xf32>
    return %s : tensor<2xf32>
  }
}
