// SPDX-License-Identifier: Apache-2.0

#include "StrategyMesh.h"

#include "shardsmith/ValueLayouts/Plan.h"

#include <numeric>

using namespace mlir;

namespace shardsmith::annotate {

StrategyMesh::StrategyMesh(const Strategy &strategy, ParameterSplit split)
    : named{Mesh({}), planMeshName} {
  // The expert axis takes context whole or in part, then a part of data.
  int64_t inContext = std::gcd(strategy.expert, strategy.context);
  int64_t inData = strategy.expert / inContext;
  // Ranks with other experts have other parameters: each splits its own.
  int64_t shards = 1;
  if (split == ParameterSplit::ByDimension && strategy.zeroStage > 0) {
    shards = strategy.data / inData;
    // A group counts the context ranks of its data ranks as well.
    if (strategy.zeroGroup > 0)
      shards = std::gcd(
          shards, std::max(strategy.zeroGroup / strategy.context, int64_t(1)));
  }
  SmallVector<Mesh::Axis> axes;
  auto add = [&](const char *name, int64_t size, ArrayRef<AxisList *> splits) {
    if (size == 1)
      return;
    for (AxisList *list : splits)
      list->push_back(axes.size());
    axes.push_back({name, size});
  };
  for (PlanAxis axis : llvm::reverse(strategy.deviceOrder))
    switch (axis) {
    case PlanAxis::Tensor:
      add("tensor", strategy.tensor, {&tensor});
      break;
    case PlanAxis::Pipeline:
      add("pipeline", strategy.pipeline, {});
      break;
    case PlanAxis::Data:
      add("data", strategy.data / inData / shards, {&batch});
      add(strategy.zeroStage == 3 ? "fsdp" : "zero_shard", shards, {&batch});
      add("expert", inData, {&batch, &expert});
      break;
    case PlanAxis::Context:
      add("context", strategy.context / inContext, {&sequence});
      add("expert_context", inContext, {&sequence, &expert});
      break;
    }
  named.mesh = Mesh(axes);
}

} // namespace shardsmith::annotate
