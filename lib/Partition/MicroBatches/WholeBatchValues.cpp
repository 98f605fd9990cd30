// SPDX-License-Identifier: Apache-2.0
//
// Values of the whole batch: where sums over micro-batches are taken, and what
// a micro-batch has in place of them under per-micro-batch semantics.

#include "MicroBatchSplitter.h"

#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shardsmith {
std::optional<FactorAxes> MicroBatchSplitter::linearIn(Operation *op) const {
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface)
    return std::nullopt;
  SmallVector<unsigned, 2> partial;
  for (OpOperand &operand : op->getOpOperands()) {
    if (combined.contains(operand.get()))
      return std::nullopt;
    if (isPartial(operand.get())) {
      if (layouts.lookup(operand.get()).partialKind != ReductionKind::Sum)
        return std::nullopt;
      partial.push_back(operand.getOperandNumber());
    }
  }
  if (partial.empty() || !isWorthWaiting(op, partial))
    return std::nullopt;
  FactorRule rule = interface.getFactorRule();
  auto set = llvm::find(rule.linearOperandSets, partial);
  if (set == rule.linearOperandSets.end())
    return std::nullopt;
  FactorAxes axes = FactorAxes::none(rule);
  axes.partial = {timeAxis};
  axes.linearSet = set - rule.linearOperandSets.begin();
  return axes;
}

bool MicroBatchSplitter::isWorthWaiting(Operation *op,
                                        ArrayRef<unsigned> partial) const {
  int64_t before = 0, behind = 0;
  for (unsigned operand : partial) {
    Value value = op->getOperand(operand);
    if (llvm::any_of(value.getUsers(),
                     [&](Operation *user) { return user != op; }))
      return false;
    before = std::max(before, typeOf(value).getNumElements());
  }
  // What stages make is not sent from one to the other in every micro-batch.
  Attribute stage = stageOf(op->getOperand(partial.front()));
  for (unsigned operand : partial)
    if (stageOf(op->getOperand(operand)) != stage)
      return false;
  for (Value result : op->getResults())
    behind += typeOf(result).getNumElements();
  return behind <= before;
}

Attribute MicroBatchSplitter::stageOf(Value value) {
  Operation *maker = value.getDefiningOp();
  return maker ? maker->getAttr(smith::kStageAttributeName) : Attribute();
}

Operation *MicroBatchSplitter::whyNotOwn(Value value) {
  Operation *maker = combined.lookup(value);
  if (isPartial(value))
    maker = mixers.lookup(value);
  bool hasOwn = isPerMicroBatch && !isOfIteration(value);
  return maker && (!hasOwn || !ownOf(value)) ? maker : nullptr;
}

Value MicroBatchSplitter::ownOf(Value value) {
  if (auto known = own.find(value); known != own.end())
    return known->second;
  Value made = isPartial(value) || sums.contains(value) ? ownOfTerm(value)
                                                        : ownOfMaker(value);
  return own[value] = made;
}

Value MicroBatchSplitter::ownOfTerm(Value value) {
  Term term = isPartial(value) ? Term{locals.lookup(value),
                                      layouts.lookup(value).partialKind}
                               : terms.lookup(value);
  if (term.kind == ReductionKind::Max || term.kind == ReductionKind::Min)
    return term.local;
  auto type = typeOf(term.local);
  if (term.kind != ReductionKind::Sum || !isa<FloatType>(type.getElementType()))
    return nullptr;
  auto times = FloatAttr::get(type.getElementType(), double(count));
  return stablehlo::MulOp::create(
      builder, term.local,
      stablehlo::ConstantOp::create(builder,
                                    DenseElementsAttr::get(type, times)));
}

Value MicroBatchSplitter::ownOfMaker(Value value) {
  auto result = cast<OpResult>(value);
  Operation *maker = result.getOwner();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(maker->getRegions(), captured);
  if (!captured.empty())
    return nullptr;
  IRMapping operands;
  for (Value operand : maker->getOperands()) {
    Value local = combined.contains(operand) || isPartial(operand)
                      ? ownOf(operand)
                      : locals.lookup(operand);
    if (!local)
      return nullptr;
    operands.map(operand, local);
  }
  return builder.clone(*maker, operands)->getResult(result.getResultNumber());
}

Value MicroBatchSplitter::ownOrWhole(Value value) {
  bool isOfBatch = combined.contains(value) || isPartial(value);
  return isPerMicroBatch && isOfBatch ? ownOf(value) : locals.lookup(value);
}

void MicroBatchSplitter::takeSumsAhead(Operation *op) {
  for (Value operand : op->getOperands())
    if (isPartial(operand))
      if (Value known = ahead->compute(builder, operand))
        setWhole(operand, known);
}

Value MicroBatchSplitter::accumulate(Value part, ReductionKind kind) {
  return smith::AccumulateOp::create(
      builder, part.getType(), part,
      sdy::ReductionKindAttr::get(builder.getContext(), kind));
}

Value MicroBatchSplitter::accumulated(Value value) {
  if (Value known = sums.lookup(value))
    return known;
  terms[value] = {locals.lookup(value), layouts.lookup(value).partialKind};
  Value part = locals.lookup(value);
  RankedTensorType type = typeOf(part);
  auto element = dyn_cast<FloatType>(type.getElementType());
  bool isNarrow = element && element.getWidth() < 32;
  if (isNarrow)
    part = stablehlo::ConvertOp::create(builder,
                                        type.clone(builder.getF32Type()), part);
  Value sum = accumulate(part, layouts.lookup(value).partialKind);
  if (isNarrow)
    sum = stablehlo::ConvertOp::create(builder, type, sum);
  return sums[value] = sum;
}

void MicroBatchSplitter::accumulatePartialOperands(Operation *op) {
  for (Value operand : op->getOperands())
    if (isPartial(operand) && !isOfIteration(operand)) {
      if (Value known = ahead->compute(builder, operand)) {
        setWhole(operand, known);
        continue;
      }
      combined[operand] = mixers.lookup(operand);
      setWhole(operand, accumulated(operand));
    }
  for (Value operand : op->getOperands())
    if (Operation *maker = combined.lookup(operand))
      for (Value result : op->getResults())
        combined[result] = maker;
}

} // namespace shardsmith
