// RUN: shardsmith-opt --train=optimizer=sgd --split-micro-batches=shares=3,1 --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=data=2" --partition %s | FileCheck %s --check-prefix=SHARES
// RUN: shardsmith-opt --train=optimizer=sgd --split-micro-batches=count=2 --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=data=2" --partition %s | FileCheck %s --check-prefix=EVEN
// RUN: shardsmith-opt --train=optimizer=sgd --split-micro-batches=shares=3,1 --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=fsdp=2" --partition %s | FileCheck %s --check-prefix=FSDP
// SPDX-License-Identifier: Apache-2.0

// Gradients are large beside a micro-batch, so a device gathers samples of the
// other one and adds up half of every gradient. With different shares that would
// make a device wait that has had all of its micro-batches: sums stay partial
// until the end of the step.

// SHARES: smith.repeat @micro_batch count = 3 {{.*}} {smith.counts = array<i64: 3, 1>}
// SHARES-COUNT-3: smith.all_reduce {{.*}} over ["data"] kind = sum
// SHARES: func.func private @micro_batch
// SHARES-NOT: over ["data"] {{dim|kind}}

// EVEN: func.func private @micro_batch
// EVEN: smith.all_gather {{.*}} over ["data"]

// Of parameters in shards all devices work in every slot, and sums are in
// shards.

// FSDP: smith.repeat @micro_batch count = 3
// FSDP-NOT: smith.counts
// FSDP: func.func private @micro_batch
// FSDP: return {{.*}} : tensor<128x64xf32>, tensor<64x128xf32>, tensor<f32>

func.func @main(
    %up: tensor<64x256xf32> {smith.role = "param", smith.name = "up"},
    %down: tensor<256x64xf32> {smith.role = "param", smith.name = "down"},
    %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
      : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
  %1 = stablehlo.tanh %0 : tensor<8x256xf32>
  %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
      : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
  %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
      across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
