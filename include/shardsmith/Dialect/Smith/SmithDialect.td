// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHDIALECT_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHDIALECT_TD

include "mlir/IR/OpBase.td"

def Smith_Dialect : Dialect {
  let name = "smith";
  let cppNamespace = "::shardsmith::smith";
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
  let summary = "What training on several devices needs beyond the model";
  let description = [{
    Roles and names of parameters, decisions of the planner, and the local
    (per-device) program with its collectives by mesh-axis name.

    Discardable attributes on arguments and results of functions, checked
    wherever they occur:

    | attribute | on | value |
    |---|---|---|
    | `smith.role` | argument | `param`, `state`, `batch` or `constant` |
    | `smith.role` | result | `param`, `state`, `loss` or `output` |
    | `smith.name` | both | non-empty string, unique among arguments and among results |
    | `smith.init` | argument | `zeros`, `ones`, `constant:V`, `normal:STDDEV` |
    | `smith.batch_dim` | batch argument | a dimension, or -1 for none |
    | `smith.limit` | integer batch argument | positive: exclusive upper bound |
    | `smith.global_shape` | both | array of sizes, of the tensor's rank |
  }];
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif
