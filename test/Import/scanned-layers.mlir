// The layers of a scan read slices of the stacked parameters and hand plain
// values to each other.
// RUN: shardsmith-opt %models/llama-tiny-scan.mlir --import | FileCheck %s

// CHECK: module @llama_tiny_scan attributes {{.*}}smith.model_hash
// CHECK: %[[WK:arg[0-9]+]]: tensor<2x48x2x8xf32> {{{.*}}smith.name = "layers.attention.wk.kernel"
// CHECK: stablehlo.slice %[[WK]] [0:1, 0:48, 0:2, 0:8]
// CHECK: stablehlo.slice %[[WK]] [1:2, 0:48, 0:2, 0:8]
// CHECK-NOT: stablehlo.dynamic_update_slice
