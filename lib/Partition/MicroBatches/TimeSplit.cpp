// SPDX-License-Identifier: Apache-2.0

#include "TimeSplit.h"

#include "shardsmith/Dialect/StableHLO/Positions.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"

using namespace mlir;

namespace shardsmith {
namespace {

std::optional<FactorIndex> majorFactor(const FactorRule &rule,
                                       ArrayRef<FactorIndex> factors) {
  auto isLarge = [&](FactorIndex factor) {
    return rule.factors[factor].size > 1;
  };
  const auto *found = llvm::find_if(factors, isLarge);
  if (found == factors.end())
    return std::nullopt;
  return *found;
}

} // namespace

int64_t TimeSplit::grainOf(const FactorRule &rule,
                           const TensorFactors &tensor) const {
  for (ArrayRef<FactorIndex> dim : tensor)
    if (const auto *found = llvm::find(dim, factor); found != dim.end()) {
      int64_t elements = grain;
      for (FactorIndex behind : ArrayRef(found + 1, dim.end()))
        elements *= rule.factors[behind].size;
      return elements;
    }
  return grain;
}

std::optional<TimeSplit> splitAlong(const FactorRule &rule,
                                    const TensorFactors &tensor, unsigned dim,
                                    int64_t grain) {
  std::optional<FactorIndex> factor = majorFactor(rule, tensor[dim]);
  if (!factor)
    return std::nullopt;
  TimeSplit split{FactorAxes::none(rule), *factor, /*grain=*/1};
  split.axes.factors[*factor] = {timeAxis};
  int64_t behind = split.grainOf(rule, tensor);
  if (grain % behind != 0)
    return std::nullopt;
  split.grain = grain / behind;
  return split;
}

bool canSplit(Operation *op, const Mesh &mesh, const FactorRule &rule,
              const FactorAxes &axes) {
  // Micro-batches run one after the other: none has what another one needs.
  for (auto [index, list] : llvm::enumerate(axes.factors))
    if (!list.empty() &&
        (needsNeighbours(op, index) || stablehlo::pointsInto(op, rule, index) ||
         rule.factors[index].size % mesh.getSize(timeAxis) != 0))
      return false;
  return verifyFactorAxes(mesh, rule, axes).empty();
}

} // namespace shardsmith
