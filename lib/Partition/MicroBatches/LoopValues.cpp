// SPDX-License-Identifier: Apache-2.0
//
// The part of MicroBatchSplitter for loops (docs/loops.md), which become nested
// in the repetition:
//
//     %h = loop_carry %h0      split if %h0 or what an iteration hands on is
//     %s = loop_carry %zeros   partial if an iteration adds a term to it
//
// All micro-batches of an iteration are never there at once, so nothing is
// accumulated in a loop: sums leave it as terms.

#include "MicroBatchSplitter.h"

#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

} // namespace

LogicalResult MicroBatchSplitter::join(smith::LoopCarryOp carry, Value value,
                                       Operation *op) {
  const Layout &layout = layouts.lookup(value);
  if (layout.isReplicated())
    return success();
  auto [entry, isNew] = carried.try_emplace(carry);
  CarriedLayout &known = entry->second;
  if (isNew) {
    known = {layout, grains.lookup(value), mixers.lookup(value)};
    foundMore = true;
    return success();
  }
  if (known.layout != layout)
    return refuse(op, "has another part of the batch than goes around its loop",
                  mixers.lookup(value));
  if (isSplit(value) && known.grain != grains.lookup(value))
    return refuse(op, "does not treat samples one by one");
  return success();
}

Value MicroBatchSplitter::asTerm(Value local) {
  if (isZero(local))
    return local;
  RankedTensorType type = typeOf(local);
  Value zero = stablehlo::createSplat(builder, typeOf(index), 0);
  Value isFirst = stablehlo::CompareOp::create(
      builder, index, zero, stablehlo::ComparisonDirection::EQ);
  Value mask = stablehlo::BroadcastInDimOp::create(
      builder, type.clone(builder.getI1Type()), isFirst, ArrayRef<int64_t>());
  Value zeros = stablehlo::createNeutral(builder, type, ReductionKind::Sum);
  return stablehlo::SelectOp::create(builder, mask, local, zeros);
}

Value MicroBatchSplitter::inCarriedLayout(Value value,
                                          const CarriedLayout &known) {
  if (layouts.lookup(value) == known.layout)
    return locals.lookup(value);
  if (known.layout.isPartial())
    return asTerm(locals.lookup(value));
  return inLayout(value, known.layout, known.grain);
}

LogicalResult MicroBatchSplitter::visitCarry(smith::LoopCarryOp op) {
  if (failed(join(op, op.getStart(), op)))
    return failure();
  auto found = carried.find(op);
  Value start = found == carried.end()
                    ? locals.lookup(op.getStart())
                    : inCarriedLayout(op.getStart(), found->second);
  Value local =
      smith::LoopCarryOp::create(builder, start.getType(), start, op.getLoop(),
                                 op.getCount(), op.getNumber());
  setWhole(op, local);
  if (found == carried.end())
    return success();
  layouts[op] = found->second.layout;
  grains[op] = found->second.grain;
  if (found->second.mixer)
    mixers[op] = found->second.mixer;
  return success();
}

LogicalResult MicroBatchSplitter::visitNext(smith::LoopNextOp op) {
  auto carry = cast<smith::LoopCarryOp>(op.getCarry().getDefiningOp());
  if (op.getDecides())
    for (Value value : {carry.getStart(), op.getNext()})
      if (!layouts.lookup(value).isReplicated())
        return refuse(op, "decides by the whole batch how often a loop is done",
                      mixers.lookup(value));
  if (failed(join(carry, op.getNext(), op)))
    return failure();
  Value begin = locals.lookup(op.getCarry());
  auto found = carried.find(carry);
  // What was not known when the begin of the iteration was built.
  bool isKnown =
      found == carried.end() || layouts.lookup(carry) == found->second.layout;
  Value next = !isKnown ? begin
               : found == carried.end()
                   ? locals.lookup(op.getNext())
                   : inCarriedLayout(op.getNext(), found->second);
  setLike(op, carry,
          smith::LoopNextOp::create(builder, next, begin, op.getLoop(),
                                    op.getCount(), op.getDecides()));
  return success();
}

LogicalResult MicroBatchSplitter::visitTermsInLoop(Operation *op) {
  SmallVector<unsigned, 2> partial;
  Operation *mixer = nullptr;
  bool areSums = true;
  for (OpOperand &operand : op->getOpOperands())
    if (isPartial(operand.get())) {
      partial.push_back(operand.getOperandNumber());
      mixer = mixers.lookup(operand.get());
      areSums &=
          layouts.lookup(operand.get()).partialKind == ReductionKind::Sum;
    }
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface || !areSums)
    return refuse(op, "uses a value of the whole batch inside of a loop",
                  mixer);
  FactorRule rule = interface.getFactorRule();
  auto holdsAll = [&](ArrayRef<unsigned> set) {
    return llvm::all_of(partial, [&](unsigned operand) {
      return llvm::is_contained(set, operand);
    });
  };
  auto exact = llvm::find(rule.linearOperandSets, partial);
  auto set = exact != rule.linearOperandSets.end()
                 ? exact
                 : llvm::find_if(rule.linearOperandSets, holdsAll);
  if (set == rule.linearOperandSets.end())
    return refuse(op, "uses a value of the whole batch inside of a loop",
                  mixer);
  SmallVector<Value> operands = localOperands(op);
  for (unsigned operand : *set)
    if (!isPartial(op->getOperand(operand)))
      operands[operand] = asTerm(operands[operand]);
  FactorAxes axes = FactorAxes::none(rule);
  axes.partial = {timeAxis};
  axes.linearSet = set - rule.linearOperandSets.begin();
  addResults(op, axes, operands);
  return success();
}

void MicroBatchSplitter::accumulateWholeValues() {
  if (nest.counts().empty())
    return;
  llvm::SetVector<Operation *> repeated = smith::findRepeatedOps(*body);
  DenseMap<Value, Value> known;
  for (Operation &op : *body) {
    if (repeated.contains(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      Operation *maker = operand.get().getDefiningOp();
      if (!maker || !repeated.contains(maker) ||
          isa<smith::AccumulateOp>(maker))
        continue;
      Value &sum = known[operand.get()];
      if (!sum) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfter(maker);
        sum = accumulate(asTerm(operand.get()), ReductionKind::Sum);
      }
      operand.set(sum);
    }
  }
}

LogicalResult MicroBatchSplitter::checkLoops() {
  if (nest.counts().empty())
    return success();
  llvm::SetVector<Operation *> repeated = smith::findRepeatedOps(*body);
  llvm::DenseSet<Value> after;
  for (Operation &op : body->without_terminator()) {
    bool readsSum = llvm::any_of(op.getOperands(), [&](Value operand) {
      return after.contains(operand);
    });
    if (readsSum && repeated.contains(&op))
      return refuse(&op, "reads a value of the whole batch inside of a loop "
                         "over its parts");
    if (readsSum || isa<smith::AccumulateOp>(op))
      after.insert(op.result_begin(), op.result_end());
  }
  return success();
}

} // namespace shardsmith
