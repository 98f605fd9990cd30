// SPDX-License-Identifier: Apache-2.0
//
// How a product of rows by the matrices of their experts is split: as the plan
// has split the product of sorted rows that it stands for, and its rows as
// their tokens. Left open, a search of layouts that knows of one step only may
// gather the tokens of all ranks, because it exchanges less than gradients do.

#include "SortedRows.h"

#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Transforms/RaggedDots.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// The axes of the only factor of a dimension that are none of `taken`.
ArrayAttr axesOf(smith::FactorAxesAttr attribute, const TensorFactors &factors,
                 int64_t dim, ArrayRef<std::string> taken) {
  Builder builder(attribute.getContext());
  SmallVector<Attribute> axes;
  for (Attribute axis : attribute.getFactors()[factors[dim].front()])
    if (!llvm::is_contained(taken, cast<StringAttr>(axis).getValue()))
      axes.push_back(axis);
  return builder.getArrayAttr(axes);
}

} // namespace

ArrayAttr axisNames(MLIRContext *context, ArrayRef<std::string> axes) {
  return Builder(context).getStrArrayAttr(llvm::map_to_vector(
      axes, [](const std::string &name) { return StringRef(name); }));
}

void splitFactors(Operation *op, ArrayRef<ArrayAttr> factors) {
  MLIRContext *context = op->getContext();
  op->setAttr(smith::kFactorAxesAttributeName,
              smith::FactorAxesAttr::get(context, factors,
                                         axisNames(context, {}),
                                         /*linear_set=*/0));
}

/// Rows are `[rows]`, `[parts, rows]` or `[parts, samples, slots]`: the first
/// dimension behind the parts is one of samples.
void SortedRows::splitLike(chlo::RaggedDotOp op, const RowsByMatrices &product,
                           smith::GroupedDotOp dot) {
  auto decided =
      op->getAttrOfType<smith::FactorAxesAttr>(smith::kFactorAxesAttributeName);
  if (!decided || !ranks.hasWholeSamples)
    return;
  auto named = [&](ArrayRef<std::string> names) {
    return axisNames(op.getContext(), names);
  };
  FactorRule rule = cast<FactorRuleInterface>(*op).getFactorRule();
  SmallVector<ArrayAttr> factors;
  if (ranks.count > 1)
    factors.push_back(named(ranks.axes));
  factors.push_back(named(sampleAxesBesideParts()));
  while (factors.size() < size_t(dot.getGroups().getType().getRank()))
    factors.push_back(named({}));
  const TensorFactors &right = rule.operands[1];
  factors.push_back(
      axesOf(decided, right, product.rhsContracted, ranks.tokenAxes));
  factors.push_back(axesOf(decided, right, product.rhsFree, ranks.tokenAxes));
  factors.push_back(named({})); // the experts
  splitFactors(dot, factors);
}

SmallVector<std::string> SortedRows::sampleAxesBesideParts() const {
  SmallVector<std::string> axes;
  llvm::copy_if(
      ranks.tokenAxes, std::back_inserter(axes), [&](const std::string &axis) {
        return ranks.count == 1 || !llvm::is_contained(ranks.axes, axis);
      });
  return axes;
}

} // namespace shardsmith
