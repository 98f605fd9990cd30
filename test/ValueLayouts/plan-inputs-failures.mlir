// RUN: not shardsmith-opt --plan="cluster=cpu:2 profile=nothing" %s 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not shardsmith-opt --plan="cluster=%t.none.json" %s 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: sed 's/"memory_gib": 4/"memory_gib": -4/' %S/../Plan/Inputs/four-cores.json > %t.memory.json
// RUN: not shardsmith-opt --plan="cluster=%t.memory.json" %s 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: sed 's/^ "link_types"/ "limits": {"power_kw": 1}, "link_types"/' %S/../Plan/Inputs/four-cores.json > %t.limits.json
// RUN: not shardsmith-opt --plan="cluster=%t.limits.json" %s 2>&1 | FileCheck %s --check-prefix=LIMITS

// What a plan is made for is looked at before anything is searched.

// PROFILE: error: "nothing" is neither a file nor a built-in stack profile
// FILE: error: cluster: "{{.*}}none.json" is neither a file nor a built-in cluster
// CLUSTER: error: {{.*}}memory.json:/device_types/core/memory_gib: -4 is out of range, expected a number greater than 0
// LIMITS: error: /limits/power_kw needs power_w of every device, but device type "core"

func.func @main(
    %w: tensor<8xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<8xf32> {smith.role = "param", smith.name = "w"}) {
  %0 = stablehlo.exponential %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}
