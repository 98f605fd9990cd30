// SPDX-License-Identifier: Apache-2.0

#include "TimeSplit.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
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
        (needsNeighbours(op, index) ||
         rule.factors[index].size % mesh.getSize(timeAxis) != 0))
      return false;
  if (!verifyFactorAxes(mesh, rule, axes).empty())
    return false;
  if (!isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op) ||
      !getOperandLayout(mesh, rule, axes, 0).uses(timeAxis))
    return true;
  // Dimensions of a table that are not looked up in are those of the rows that
  // come out, or go in.
  Layout rows =
      isa<stablehlo::GatherOp>(op)
          ? getResultLayout(mesh, rule, axes, 0)
          : getOperandLayout(mesh, rule, axes, op->getNumOperands() - 1);
  return llvm::any_of(rows.dims, [](const AxisList &dim) {
    return llvm::is_contained(dim, timeAxis);
  });
}

} // namespace shardsmith
