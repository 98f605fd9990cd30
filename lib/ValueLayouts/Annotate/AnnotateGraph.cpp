// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include "GraphWriter.h"

using namespace mlir;

namespace shardsmith {

llvm::Error annotateGraph(ModuleOp module, const workload::GraphMap &map,
                          const workload::Workload &workload,
                          const Strategy &strategy) {
  annotate::StrategyLayouts layouts(workload, strategy,
                                    annotate::ParameterSplit::AsUsed);
  annotate::Demands demands(map, workload, layouts);
  if (llvm::Error error = demands.run(module))
    return error;
  annotate::GraphWriter(module, map, workload, strategy, layouts, demands)
      .run();
  return llvm::Error::success();
}

} // namespace shardsmith
