// RUN: sed 's/"type": "core"/"type": "kernel"/' %S/Inputs/four-cores.json > %t.cluster
// RUN: sed 's/^ "link_types"/ "limits": {"budget_usd_per_hour": 11}, "link_types"/' %S/Inputs/four-cores.json > %t.limits
// RUN: not shardsmith-opt %s --search-strategy="cluster=%t.limits" 2>&1 | FileCheck %s --check-prefix=LIMITS
// RUN: not shardsmith-opt %s --search-strategy="cluster=nowhere" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not shardsmith-opt %s --search-strategy="cluster=%t.cluster" 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not shardsmith-opt %s --search-strategy="profile=nothing" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=tp" 2>&1 | FileCheck %s --check-prefix=FIX
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json forbid=luck" 2>&1 | FileCheck %s --check-prefix=FORBID
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=pp=2 forbid=pp" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=tp=3,dp=3" 2>&1 | FileCheck %s --check-prefix=TOOMANY
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=ep=2" 2>&1 | FileCheck %s --check-prefix=EXPERT
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-small-cores.json fix=devices=1 margin=0.5" 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json margin=1" 2>&1 | FileCheck %s --check-prefix=MARGIN
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json time-limit=0.0001" 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=dp=4" --annotate-strategy --search-strategy="cluster=%S/Inputs/four-cores.json" 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not shardsmith-opt %s --train=optimizer=sgd --search-strategy="cluster=%S/Inputs/four-cores.json" 2>&1 | FileCheck %s --check-prefix=STEP

// CLUSTER: error: cluster: "nowhere" is neither a file nor a built-in cluster
// BROKEN: error: {{.*}}.cluster:/groups/0/node/devices/0/type: 
// LIMITS: error: /limits/budget_usd_per_hour needs price_per_hour_usd of every device, but device type "core"
// PROFILE: error: "nothing" is neither a file nor a built-in stack profile
// FIX: error: fix: tp=: expected a number of at least 1, or a range such as 2..8
// FORBID: error: forbid: 'luck' cannot be forbidden; expected an axis (pp), a schedule
// BOTH: error: forbid: pp=1 contradicts an earlier value
// TOOMANY: error: what was given leaves no plan for 4 devices; there are plans without the value of tensor, or of data
// EXPERT: error: what was given leaves no plan for 4 devices; there are plans without the value of expert
// MEMORY: error: nothing fits four small cores: the nearest plan (tensor=1 pipeline=1 data=1 micro-batch=64 recompute=none) needs {{[0-9]+}} bytes more per device; the largest part is overhead
// MARGIN: error: margin: expected a share of at least 0 and below 1, got 1
// TIME: error: the search was stopped before it found a plan; time-limit gives it longer

// The search decides all layouts, so it refuses those that are there; and it
// plans losses, not train steps.

// MESH: error: the module has a mesh, and so shardings of its own; the strategy search decides all layouts
// STEP: error: unsupported: a train step (result 0 is a new parameter), for which no strategy is searched; export the forward function, whose result is the loss

module @layer {
  func.func @main(
      %w: tensor<512x512xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<64x512xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %1 = stablehlo.tanh %0 : tensor<64x512xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<64x512xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
