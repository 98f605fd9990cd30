// SPDX-License-Identifier: Apache-2.0
// What only processors have; shardsmith/Lower/Common/Passes.td has the rest.

#ifndef SHARDSMITH_LOWER_CPU_PASSES_TD
#define SHARDSMITH_LOWER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitCpuProgram : Pass<"emit-cpu-program", "::mlir::ModuleOp"> {
  let summary = "Replace a module with planned buffers by processor code";
  let description = [{
    The functions that `emit-cpu-object` compiles: `smith_step`, one function
    for each different kernel, and the manifest, in the dialects llvm, scf,
    vector, arith and math. For tests, and for reading what a kernel became.
  }];
}

def EmitCpuObject : Pass<"emit-cpu-object", "::mlir::ModuleOp"> {
  let summary = "Write the object file of a module with planned buffers";
  let description = [{
    For tests and experiments; `shardsmith compile` does the same and links.
    The module stays as it is.
  }];
  let options = [
    Option<"path", "path", "std::string", "\"\"", "File to write">,
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "Processor to generate code for, as LLVM names it">,
    Option<"optimize", "optimize", "bool", "true", "Optimise the code">,
    Option<"planHash", "plan-hash", "std::string", "\"\"",
           "Hash of the plan that the program says it is of">
  ];
}

#endif
