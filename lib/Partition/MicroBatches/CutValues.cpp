// SPDX-License-Identifier: Apache-2.0
//
// One micro-batch of what is equal in all of them: a slice of it, or the op
// that makes it, made smaller.

#include "MicroBatchSplitter.h"

using namespace mlir;

namespace shardsmith {

Value MicroBatchSplitter::inLayout(Value value, const Layout &layout,
                                   int64_t grain) {
  if (layout.isReplicated())
    return ownOrWhole(value);
  return layouts.lookup(value) == layout ? locals.lookup(value)
                                         : cut(value, layout, grain);
}

Value MicroBatchSplitter::cut(Value value, const Layout &layout,
                              int64_t grain) {
  unsigned dim = splitDim(layout);
  std::tuple<Value, unsigned, int64_t> key(value, dim, grain);
  if (Value known = cuts.lookup(key))
    return known;
  Value made = remake(value, dim, layout, grain);
  if (!made)
    made = slices->take(ownOrWhole(value), dim, grain);
  return cuts[key] = made;
}

Value MicroBatchSplitter::remake(Value value, unsigned dim,
                                 const Layout &layout, int64_t grain) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = cast<RankedTensorType>(
        getLocalType(mesh, value.getType(), layout, shares.partsPerSlot()));
    return splat
               ? stablehlo::ConstantOp::create(builder, splat.resizeSplat(type))
                     .getResult()
               : nullptr;
  }
  // Of what a micro-batch has there is no whole to make less of.
  bool isOfBatch = combined.contains(value) || isPartial(value);
  for (Value operand : op->getOperands())
    if (isSplit(operand) || (!isOfBatch && isPartial(operand)))
      return nullptr;
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface || op->getNumOperands() == 0 ||
      isa<smith::LoopCarryOp, smith::LoopNextOp>(op))
    return nullptr;
  FactorRule rule = interface.getFactorRule();
  unsigned number = result.getResultNumber();
  std::optional<TimeSplit> split =
      splitAlong(rule, rule.results[number], dim, grain);
  if (!split || !canSplit(op, mesh, rule, split->axes) ||
      getResultLayout(mesh, rule, split->axes, number) != layout)
    return nullptr;
  return build(op, rule, split->axes, operandsOf(op, rule, *split))[number];
}

} // namespace shardsmith
