// Every model of this repository imports to one function without calls, loops
// or dynamic slices, and importing what was imported changes nothing.
// RUN: shardsmith-opt %models/gpt2-124m.mlir --import -o %t.gpt2-124m
// RUN: shardsmith-opt %t.gpt2-124m --import -o %t.again
// RUN: cmp %t.gpt2-124m %t.again
// RUN: FileCheck %s < %t.gpt2-124m
// RUN: shardsmith-opt %models/gpt2-tiny.mlir --import -o %t.gpt2-tiny
// RUN: shardsmith-opt %t.gpt2-tiny --import -o %t.again
// RUN: cmp %t.gpt2-tiny %t.again
// RUN: FileCheck %s < %t.gpt2-tiny
// RUN: shardsmith-opt %models/gpt2-tiny-bf16.mlir --import -o %t.gpt2-tiny-bf16
// RUN: shardsmith-opt %t.gpt2-tiny-bf16 --import -o %t.again
// RUN: cmp %t.gpt2-tiny-bf16 %t.again
// RUN: FileCheck %s < %t.gpt2-tiny-bf16
// RUN: shardsmith-opt %models/gpt2-tiny-train-step.mlir --import -o %t.gpt2-tiny-train-step
// RUN: shardsmith-opt %t.gpt2-tiny-train-step --import -o %t.again
// RUN: cmp %t.gpt2-tiny-train-step %t.again
// RUN: FileCheck %s < %t.gpt2-tiny-train-step
// RUN: shardsmith-opt %models/llama-tiny.mlir --import -o %t.llama-tiny
// RUN: shardsmith-opt %t.llama-tiny --import -o %t.again
// RUN: cmp %t.llama-tiny %t.again
// RUN: FileCheck %s < %t.llama-tiny
// RUN: shardsmith-opt %models/llama-tiny-scan.mlir --import -o %t.llama-tiny-scan
// RUN: shardsmith-opt %t.llama-tiny-scan --import -o %t.again
// RUN: cmp %t.llama-tiny-scan %t.again
// RUN: FileCheck %s < %t.llama-tiny-scan
// RUN: shardsmith-opt %models/llama-bench.mlir --import -o %t.llama-bench
// RUN: shardsmith-opt %t.llama-bench --import -o %t.again
// RUN: cmp %t.llama-bench %t.again
// RUN: FileCheck %s < %t.llama-bench

// CHECK: smith.model_hash
// CHECK-NOT: call @
// CHECK-NOT: chlo.square
// CHECK-NOT: stablehlo.while
// CHECK-NOT: stablehlo.dynamic_
// CHECK-NOT: func.func private
