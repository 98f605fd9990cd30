// RUN: not shardsmith-opt %s --print-search="%{two-plain} fix=tp=2,tp=4" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shardsmith-opt %s --print-search="%{two-plain} fix=zero=4" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not shardsmith-opt %s --print-search="%{two-plain} fix=order=tp-dp" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not shardsmith-opt %s --print-search="%{two-plain} fix=speed=3" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not shardsmith-opt %s --print-search="%{two-plain} forbid=zero=0,zero=1,zero=2,zero=3" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=3" | FileCheck %s --check-prefix=EMPTY
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space,bounds,stages,blocks fix=pp=2" | FileCheck %s --check-prefix=UNITS

// TWICE: error: fix: tp=4 contradicts an earlier value
// ZERO: error: fix: zero=4: expected 0, 1, 2 or 3
// ORDER: error: fix: order=tp-dp: expected all four axes from neighbouring to distant devices, such as tp-cp-dp-pp
// UNKNOWN: error: fix: 'speed' is no choice of a plan; known are
// NOTHING: error: forbid: with 'zero' nothing of its kind is left

// More than there are devices, or units, is no mistake of the text: the space is
// empty, and no view has anything to show.

// EMPTY: space: 0 configurations on at most 2 devices
// EMPTY-NEXT: tensor: {{$}}
// EMPTY-NEXT: not 1 to 2: not allowed
// UNITS: space: 0 configurations
// UNITS: pipeline: {{$}}
// UNITS-NEXT: not 1: not allowed
// UNITS-NEXT: not 2: 1 units in the chain
// UNITS: bounds: 0 configurations
// UNITS: stages: 1 units
// UNITS: blocks: 0 settings for 0 configurations

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
