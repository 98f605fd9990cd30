// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include "GraphWriter.h"

#include "shardsmith/Support/CodedError.h"
#include "shardsmith/Support/LocationText.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Of a loop one iteration is there to be annotated; fails if others are in
/// another stage, or computed again in another way.
llvm::Error requireEqualIterations(const workload::GraphMap &map,
                                   const Strategy &strategy) {
  std::vector<std::pair<size_t, Recompute>> marks;
  for (auto [number, stage] : llvm::enumerate(strategy.stages))
    for (Recompute choice : stage.recompute)
      marks.push_back({number, choice});
  size_t first = 0;
  for (const workload::GraphUnit &unit : map.units) {
    auto own = llvm::ArrayRef(marks).slice(first, size_t(unit.count));
    first += size_t(unit.count);
    if (!unit.call && !llvm::all_equal(own))
      return makeError(
          ExitCode::Unsupported,
          locationText(map.bodies[unit.body].ops.front().op->getLoc()) +
              ": iterations of the loop are in different stages, or computed "
              "again in different ways, and the graph has one for all");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error annotateGraph(ModuleOp module, const workload::GraphMap &map,
                          const workload::Workload &workload,
                          const Strategy &strategy) {
  if (llvm::Error error = requireEqualIterations(map, strategy))
    return error;
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
