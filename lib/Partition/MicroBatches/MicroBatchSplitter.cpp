// SPDX-License-Identifier: Apache-2.0
//
// The walk over the old body: what is split, what stays whole, what is refused.

#include "MicroBatchSplitter.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Interfaces/LocalizeInterface.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {
LogicalResult MicroBatchSplitter::run() {
  if (isPerMicroBatch && !shares.areEven())
    return function.emitError()
           << "no micro-batches: data ranks have different numbers of them, "
              "which has no meaning with --per-micro-batch-semantics; use "
              "even=on";
  index = smith::MicroBatchIndexOp::create(
      builder, RankedTensorType::get({}, builder.getI32Type()), count);
  slices.emplace(builder, index, shares);
  for (BlockArgument argument : function.getArguments())
    if (failed(addArgument(argument)))
      return failure();
  ahead.emplace(function, body, [&](Value value) { return isSplit(value); });
  for (Operation &op : function.front().without_terminator()) {
    builder.setLoc(op.getLoc());
    if (failed(visit(&op)))
      return failure();
  }
  addReturn(cast<func::ReturnOp>(function.front().getTerminator()));
  accumulateWholeValues();
  for (auto shard :
       llvm::make_early_inc_range(body->getOps<smith::ShardIndexOp>()))
    if (cast<StringAttr>(shard.getAxes()[0]) == "time") {
      shard.getResult().replaceAllUsesWith(index);
      shard.erase();
    }
  index.getDefiningOp()->moveBefore(&body->front());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return checkLoops();
}

LogicalResult MicroBatchSplitter::addArgument(BlockArgument argument) {
  Value local = body->addArgument(argument.getType(), argument.getLoc());
  setWhole(argument, local);
  unsigned number = argument.getArgNumber();
  auto role =
      function.getArgAttrOfType<StringAttr>(number, smith::kRoleAttributeName);
  if (!role || role.getValue() != "batch")
    return success();
  auto dimension = function.getArgAttrOfType<IntegerAttr>(
      number, smith::kBatchDimAttributeName);
  int64_t dim = dimension ? dimension.getInt() : 0;
  if (dim < 0 || dim >= typeOf(argument).getRank())
    return success();
  if (int64_t size = typeOf(argument).getDimSize(dim);
      size % shares.parts() != 0)
    return function.emitError()
           << "argument " << number << " has a batch of " << size
           << ", which does not divide into " << shares.parts()
           << " micro-batches; use a divisor of it";
  if (!shares.areEven())
    keepWhole(argument, unsigned(dim));
  layouts[argument].dims[dim] = {timeAxis};
  grains[argument] = 1;
  locals.map(argument, slices->take(local, dim));
  return success();
}

void MicroBatchSplitter::keepWhole(BlockArgument argument, unsigned dim) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
  if (!sharding)
    return;
  MLIRContext *context = function.getContext();
  SmallVector<sdy::DimensionShardingAttr> dims(sharding.getDimShardings());
  dims[dim] =
      sdy::DimensionShardingAttr::get(context, ArrayRef<sdy::AxisRefAttr>());
  function.setArgAttr(
      argument.getArgNumber(), sdy::kShardingAttributeName,
      sdy::TensorShardingAttr::get(
          context, sharding.getMeshOrRef(), dims, sharding.getReplicatedAxes(),
          sharding.getUnreducedAxes(), sharding.getUnreducedKind()));
}

LogicalResult MicroBatchSplitter::visitCaptures(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isSplit(value) || isPartial(value) || combined.contains(value))
      return refuse(op, "uses the batch inside of a region");
  return success();
}

LogicalResult MicroBatchSplitter::visit(Operation *op) {
  if (failed(visitCaptures(op)))
    return failure();
  if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op)) {
    visitBarrier(barrier);
    return success();
  }
  if (auto carry = dyn_cast<smith::LoopCarryOp>(op))
    return visitCarry(carry);
  if (auto next = dyn_cast<smith::LoopNextOp>(op))
    return visitNext(next);
  auto isSplitOperand = [&](Value operand) { return isSplit(operand); };
  if (llvm::any_of(op->getOperands(), isSplitOperand))
    return visitSplit(op);
  if (isInLoop(op) && isPartialOperand(op))
    return visitTermsInLoop(op);
  std::optional<FactorAxes> axes = linearIn(op);
  if (axes) {
    addResults(op, *axes, localOperands(op));
    return success();
  }
  accumulatePartialOperands(op);
  Operation *copy = cloneWhole(op);
  for (auto [result, local] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    setWhole(result, local);
  return success();
}

Operation *MicroBatchSplitter::cloneWhole(Operation *op) {
  if (op->getNumRegions() == 0)
    return builder.clone(*op, locals);
  IRMapping ofRegions = locals;
  return builder.clone(*op, ofRegions);
}

void MicroBatchSplitter::visitBarrier(stablehlo::OptimizationBarrierOp op) {
  SmallVector<unsigned> inParts, equal;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool isInParts = isSplit(value) || isPartial(value);
    (isInParts ? inParts : equal).push_back(operand.getOperandNumber());
  }
  for (ArrayRef<unsigned> group : {ArrayRef(inParts), ArrayRef(equal)}) {
    if (group.empty())
      continue;
    SmallVector<Value> operands;
    for (unsigned number : group)
      operands.push_back(locals.lookup(op->getOperand(number)));
    auto barrier = stablehlo::OptimizationBarrierOp::create(
        builder, ValueRange(operands).getTypes(), operands);
    if (group.size() == op->getNumOperands())
      barrier->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [number, local] : llvm::zip_equal(group, barrier.getResults()))
      setLike(op->getResult(number), op->getOperand(number), local);
  }
}

void MicroBatchSplitter::setLike(Value value, Value other, Value local) {
  locals.map(value, local);
  layouts[value] = layouts.lookup(other);
  grains[value] = grains.lookup(other);
  if (Operation *mixer = mixers.lookup(other))
    mixers[value] = mixer;
  if (Operation *maker = combined.lookup(other))
    combined[value] = maker;
}

LogicalResult MicroBatchSplitter::visitSplit(Operation *op) {
  if (isPerMicroBatch)
    takeSumsAhead(op);
  else
    accumulatePartialOperands(op);
  for (Value operand : op->getOperands())
    if (Operation *maker = whyNotOwn(operand))
      return refuse(op,
                    "uses values of single samples together with one of "
                    "the whole batch",
                    maker);
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface)
    return refuse(op, "has no factor rule, so nobody can split its batch");
  FactorRule rule = interface.getFactorRule();
  std::optional<TimeSplit> split = splitLike(op, rule);
  if (!split)
    return refuse(op, "does not treat samples one by one");
  SmallVector<Value> operands = operandsOf(op, rule, *split);
  if (!shares.areEven() &&
      failed(neutralizeUncounted(op, rule, *split, operands)))
    return failure();
  addResults(op, split->axes, operands);
  for (OpResult result : op->getResults())
    if (isSplit(result))
      grains[result] =
          split->grainOf(rule, rule.results[result.getResultNumber()]);
  return success();
}

SmallVector<Value> MicroBatchSplitter::operandsOf(Operation *op,
                                                  const FactorRule &rule,
                                                  const TimeSplit &split) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    operands.push_back(inLayout(
        operand.get(), getOperandLayout(mesh, rule, split.axes, number),
        split.grainOf(rule, rule.operands[number])));
  }
  return operands;
}

LogicalResult
MicroBatchSplitter::neutralizeUncounted(Operation *op, const FactorRule &rule,
                                        const TimeSplit &split,
                                        MutableArrayRef<Value> operands) {
  const Factor &factor = rule.factors[split.factor];
  if (factor.kind != FactorKind::Reduction)
    return success();
  auto dimOf = [&](unsigned operand) {
    const TensorFactors &dims = rule.operands[operand];
    const auto *found = llvm::find_if(dims, [&](const auto &factors) {
      return llvm::is_contained(factors, split.factor);
    });
    return found == dims.end() ? -1 : int64_t(found - dims.begin());
  };
  // One set is enough in which the op is linear: of factors the smaller one.
  SmallVector<unsigned> chosen;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  if (factor.reduction == ReductionKind::Sum)
    for (ArrayRef<unsigned> set : rule.linearOperandSets) {
      SmallVector<unsigned> own;
      int64_t elements = 0;
      for (unsigned operand : set)
        if (dimOf(operand) >= 0) {
          own.push_back(operand);
          elements += typeOf(operands[operand]).getNumElements();
        }
      if (own.empty() || elements >= fewest)
        continue;
      fewest = elements;
      chosen = own;
    }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op); reduce && chosen.empty())
    for (unsigned input = 0; input < reduce.getInputs().size(); ++input)
      chosen.push_back(input);
  if (chosen.empty())
    return refuse(op, "combines samples in a way that leaves none out, as data "
                      "ranks with different shares have to");
  Operation *last = body->empty() ? nullptr : &body->back();
  for (unsigned operand : chosen)
    operands[operand] = slices->onlyCounted(
        operands[operand], dimOf(operand),
        split.grainOf(rule, rule.operands[operand]),
        stablehlo::createNeutral(builder, typeOf(operands[operand]),
                                 factor.reduction));
  // They belong to the pass of the op.
  for (Operation *made = last ? last->getNextNode() : &body->front(); made;
       made = made->getNextNode())
    if (isa<stablehlo::SelectOp>(made)) {
      unsigned operand = chosen.front();
      for (unsigned each : chosen)
        if (operands[each].getDefiningOp() == made)
          operand = each;
      made->setAttr(smith::kCountedRowsAttributeName,
                    builder.getI64IntegerAttr(dimOf(operand)));
      for (StringRef name :
           {smith::kUnitAttributeName, smith::kStageAttributeName,
            smith::kBackwardAttributeName})
        if (Attribute value = op->getAttr(name))
          made->setAttr(name, value);
    }
  return success();
}

std::optional<TimeSplit>
MicroBatchSplitter::splitLike(Operation *op, const FactorRule &rule) const {
  std::optional<TimeSplit> all;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isSplit(operand.get()))
      continue;
    std::optional<TimeSplit> split =
        splitAlong(rule, rule.operands[operand.getOperandNumber()],
                   splitDim(operand.get()), grains.lookup(operand.get()));
    if (!split ||
        (all && (all->grain != split->grain || all->factor != split->factor)))
      return std::nullopt;
    all = std::move(split);
  }
  if (!canSplit(op, mesh, rule, all->axes))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands())
    if (isSplit(operand.get()) &&
        getOperandLayout(mesh, rule, all->axes, operand.getOperandNumber()) !=
            layouts.lookup(operand.get()))
      return std::nullopt;
  return all;
}

SmallVector<Value> MicroBatchSplitter::localOperands(Operation *op) const {
  return llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return locals.lookup(operand); });
}

void MicroBatchSplitter::addResults(Operation *op, const FactorAxes &axes,
                                    ValueRange operands) {
  FactorRule rule = cast<FactorRuleInterface>(op).getFactorRule();
  SmallVector<Value> values = build(op, rule, axes, operands);
  for (auto [result, local] : llvm::zip_equal(op->getResults(), values)) {
    Layout layout = getResultLayout(mesh, rule, axes, result.getResultNumber());
    if (layout.isPartial() && !isPartialOperand(op))
      mixers[result] = op;
    for (Value operand : op->getOperands())
      if (Operation *mixer = mixers.lookup(operand))
        mixers[result] = mixer;
    layouts[result] = layout;
    locals.map(result, local);
  }
}

bool MicroBatchSplitter::isPartialOperand(Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isPartial(operand); });
}

SmallVector<Value> MicroBatchSplitter::build(Operation *op,
                                             const FactorRule &rule,
                                             const FactorAxes &axes,
                                             ValueRange operands) {
  LocalizeContext context(op, mesh, indices, locals, rule, axes);
  context.setShardsHeld(shares.partsPerSlot());
  SmallVector<Value> values;
  auto interface = dyn_cast<LocalizeInterface>(op);
  if (!interface ||
      failed(interface.localize(builder, context, operands, values)))
    values =
        SmallVector<Value>(context.rebuild(builder, operands)->getResults());
  bool isTerm = llvm::any_of(op->getResults(), [&](OpResult result) {
    return getResultLayout(mesh, rule, axes, result.getResultNumber())
        .isPartial();
  });
  for (Value value : values)
    if (Operation *maker = value.getDefiningOp())
      annotate(maker, op, rule, axes, isTerm);
  return values;
}

void MicroBatchSplitter::annotate(Operation *to, Operation *from,
                                  const FactorRule &before,
                                  const FactorAxes &axes, bool isTerm) {
  if (to->getName() != from->getName())
    return;
  FactorRule after = cast<FactorRuleInterface>(to).getFactorRule();
  bool isSame = after.factors.size() == before.factors.size() &&
                after.operands == before.operands &&
                after.results == before.results;
  bool keepsSharding = isSame && !isTerm;
  bool keepsFactorAxes = isSame && axes.partial.empty();
  for (NamedAttribute attribute : from->getDiscardableAttrs()) {
    StringAttr name = attribute.getName();
    if ((name == sdy::kShardingAttributeName && !keepsSharding) ||
        (name == smith::kFactorAxesAttributeName && !keepsFactorAxes))
      continue;
    to->setDiscardableAttr(name, attribute.getValue());
  }
}

void MicroBatchSplitter::addReturn(func::ReturnOp op) {
  SmallVector<Value> values;
  for (Value value : op.getOperands()) {
    if (isPartial(value)) {
      values.push_back(accumulated(value));
    } else if (isSplit(value)) {
      Value all = slices->amongZeros(locals.lookup(value), splitDim(value),
                                     grains.lookup(value));
      bool isBoolean = typeOf(all).getElementType().isInteger(1);
      values.push_back(
          accumulate(all, isBoolean ? ReductionKind::Or : ReductionKind::Sum));
    } else {
      values.push_back(locals.lookup(value));
    }
  }
  func::ReturnOp::create(builder, values);
}

LogicalResult MicroBatchSplitter::refuse(Operation *op, const Twine &why,
                                         Operation *combiner) {
  InFlightDiagnostic error =
      op->emitError() << "no micro-batches: '" << op->getName().getStringRef()
                      << "' " << why << "; use one micro-batch per step"
                      << (combiner && !isPerMicroBatch
                              ? ", or --per-micro-batch-semantics"
                              : "");
  if (combiner)
    error.attachNote(combiner->getLoc())
        << "'" << combiner->getName().getStringRef()
        << "' combines the samples of the batch";
  for (BlockArgument argument : function.getArguments())
    if (isSplit(argument)) {
      error.attachNote(argument.getLoc())
          << "argument " << argument.getArgNumber() << " is a batch";
      break;
    }
  return failure();
}

} // namespace shardsmith
