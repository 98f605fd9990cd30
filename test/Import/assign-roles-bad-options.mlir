// RUN: not shardsmith-opt %s --assign-roles=params=0-9 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not shardsmith-opt %s --assign-roles=params=w 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not shardsmith-opt %s --assign-roles="params=1,0" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not shardsmith-opt %s --assign-roles="params=0-1 batch=1" 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not shardsmith-opt %s --assign-roles="params=0 loss=1" 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not shardsmith-opt %s --assign-roles="batch=1" 2>&1 | FileCheck %s --check-prefix=MISSING

// RANGE: error: option for role 'param': names argument 9, but @main has 2 arguments
// TEXT: error: option for role 'param': 'w' is no range of positions, such as 0-147
// ORDER: error: option for role 'param': positions must ascend; '0' comes after 1
// OVERLAP: error: argument 1 is given two roles, 'param' and 'batch'
// LOSS: error: has no result that can be the loss
// MISSING: error: argument 0 has no role
func.func public @main(%w: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2xf32>
  return %x, %0 : tensor<f32>, tensor<2xf32>
}
