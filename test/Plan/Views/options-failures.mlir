// RUN: not shardsmith-opt %s --print-search="%{two-plain} show=plans" 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not shardsmith-opt %s --print-search="%{two-plain} objective=speed" 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not shardsmith-opt %s --print-search="%{two-plain} objective=dollars" 2>&1 | FileCheck %s --check-prefix=PRICE
// RUN: not shardsmith-opt %s --print-search="%{two-plain} margin=-1" 2>&1 | FileCheck %s --check-prefix=MARGIN
// RUN: not shardsmith-opt %s --print-search="cluster=nowhere" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not shardsmith-opt %s --print-search="profile=nothing" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not shardsmith-opt %s --print-search="%{two-plain} forbid=luck" 2>&1 | FileCheck %s --check-prefix=FORBID
// RUN: not shardsmith-opt %s --train=optimizer=sgd --print-search="%{two-plain} show=chain" 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not shardsmith-opt %s --search-strategy="%{two-plain} fix=dp=2" --annotate-strategy --print-search="%{two-plain} show=chain" 2>&1 | FileCheck %s --check-prefix=MESH

// VIEW: error: show: 'plans' is no view; expected one of chain, space, blocks, bounds, stages, ranking, fixed
// OBJECTIVE: error: objective: 'speed' is none; expected time, dollars or front
// PRICE: error: objective: some device has no price_per_hour_usd
// MARGIN: error: margin: expected a share of at least 0 and below 1, got -1
// CLUSTER: error: cluster: "nowhere" is neither a file nor a built-in cluster
// PROFILE: error: "nothing" is neither a file nor a built-in stack profile
// FORBID: error: forbid: 'luck' cannot be forbidden
// STEP: error: {{.*}}loss
// MESH: error: the module has a mesh, and so shardings of its own

module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
