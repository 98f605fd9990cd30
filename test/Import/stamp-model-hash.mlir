// RUN: shardsmith-opt %s --stamp-model-hash | FileCheck %s
// Locations and an old hash do not matter, the graph does.
// RUN: shardsmith-opt %s --stamp-model-hash --mlir-print-debuginfo | shardsmith-opt --stamp-model-hash > %t.again
// RUN: shardsmith-opt %s --stamp-model-hash | diff - %t.again
// RUN: sed s/sine/cosine/ %s | shardsmith-opt --stamp-model-hash | grep -o 'model_hash = "[0-9a-f]*"' > %t.other
// RUN: shardsmith-opt %s --stamp-model-hash | not grep -f %t.other
// How published weights name the parameters does not matter either.
// RUN: sed 's/module @tiny/& attributes {smith.weights = {prefix = "", ignored = [], copies = {}, older = {}, stacked = []}}/' %s | shardsmith-opt --stamp-model-hash > %t.weights
// RUN: shardsmith-opt %s --stamp-model-hash | grep -o 'model_hash = "[0-9a-f]*"' > %t.same
// RUN: grep -f %t.same %t.weights | grep 'smith.weights = {'

// CHECK: module @tiny attributes {smith.model_hash = "{{[0-9a-f]+}}"}
module @tiny {
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    return %0 : tensor<f32>
  }
}
