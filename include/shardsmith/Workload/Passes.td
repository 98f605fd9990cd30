// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_WORKLOAD_PASSES_TD
#define SHARDSMITH_WORKLOAD_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintWorkload : Pass<"print-workload", "::mlir::ModuleOp"> {
  let summary = "Print the workload of a loss graph as JSON";
  let description = [{
    Shows what the planner sees of a model: blocks of ops over named factors,
    see docs/workload.md. Changes nothing. The module is the forward graph that
    `import` leaves, or one whose `@main` calls a private function per layer.

    ```
    shardsmith-opt model.mlir --import --print-workload -o /dev/null
    ```
  }];
}

#endif
