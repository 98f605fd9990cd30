// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_PASSES_TD
#define SHARDSMITH_INTERFACES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReportFactorRules : Pass<"report-factor-rules", "::mlir::func::FuncOp"> {
  let summary = "Emit a remark with the factor rule of every op of the body";
  let description = [{
    For reading and testing rules; changes nothing. A rule that breaks its own
    invariants is an error.

    ```
    remark: ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : …
    ```
  }];
}

#endif
