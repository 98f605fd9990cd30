// SPDX-License-Identifier: Apache-2.0

#include "BackwardLoops.h"

#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {
namespace {

RankedTensorType stackedType(RankedTensorType element, int64_t count) {
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, element.getShape());
  return RankedTensorType::get(shape, element.getElementType());
}

RankedTensorType elementType(RankedTensorType stacked) {
  return RankedTensorType::get(stacked.getShape().drop_front(),
                               stacked.getElementType());
}

int64_t bitsOf(Value value) {
  Type element = typeOf(value).getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 128;
  return typeOf(value).getNumElements() * bits;
}

/// Elements are arranged anew, or are indices, or the op says so.
bool isMadeAgain(Operation *op) {
  auto choice = op->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName);
  if (choice && choice.getValue() != "none" && !smith::getMarkedLoop(op))
    return true;
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  Value result = op->getResult(0);
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
          stablehlo::ConvertOp>(op))
    return bitsOf(op->getOperand(0)) <= bitsOf(result);
  // Positions in the sequence, and what is computed of them.
  auto isIndex = [](Value value) {
    return typeOf(value).getRank() == 0 &&
           isa<IntegerType>(typeOf(value).getElementType());
  };
  return op->getNumOperands() > 0 && isIndex(result) &&
         llvm::all_of(op->getOperands(), isIndex) && !smith::getMarkedLoop(op);
}

/// A pass over elements that costs little next to reading them from memory.
bool isCheap(Operation *op) {
  constexpr int64_t mostPerElement = 4;
  auto cost = dyn_cast<CostInterface>(op);
  if (!cost || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      smith::getMarkedLoop(op))
    return false;
  SmallVector<RankedTensorType> operands =
      llvm::map_to_vector(op->getOperands(), typeOf);
  OpWork work = cost.getWork(operands, typeOf(op->getResult(0)));
  bool isPass =
      work.kind == OpWork::Kind::Elementwise || work.kind == OpWork::Kind::Free;
  int64_t elements = typeOf(op->getResult(0)).getNumElements();
  return isPass && work.flops.count() <= mostPerElement * elements;
}

} // namespace

int64_t BackwardLoops::numberOf(int64_t loop) {
  auto [entry, isNew] = numbers.try_emplace(loop, free);
  int64_t number = entry->second;
  free += isNew;
  if (isNew)
    decide(loop, number);
  return number;
}

/// What was known before the forward loop decides the backward one.
void BackwardLoops::decide(int64_t loop, int64_t number) {
  smith::LoopNextOp forward = nest.deciderOf(loop);
  if (!forward)
    return;
  auto begin = cast<smith::LoopCarryOp>(forward.getCarry().getDefiningOp());
  ImplicitLocOpBuilder builder(forward.getLoc(), block.getTerminator());
  int64_t count = forward.getCount();
  auto carry =
      smith::LoopCarryOp::create(builder, begin.getType(), begin.getStart(),
                                 number, count, carries[loop]++);
  smith::LoopNextOp::create(builder, forward.getNext(), carry, number, count,
                            /*decides=*/true);
}

smith::LoopCarryOp BackwardLoops::carry(ImplicitLocOpBuilder &builder,
                                        int64_t loop, Value start) {
  return smith::LoopCarryOp::create(builder, start.getType(), start,
                                    numberOf(loop), nest.counts().lookup(loop),
                                    carries[loop]++);
}

Value BackwardLoops::finish(ImplicitLocOpBuilder &builder,
                            smith::LoopCarryOp carried, Value next) {
  return smith::LoopNextOp::create(builder, next, carried, carried.getLoop(),
                                   carried.getCount(), /*decides=*/false);
}

void BackwardLoops::renumber(Operation *first, Operation *end) {
  DenseMap<int64_t, int64_t> own;
  for (Operation *op = first; op != end; op = op->getNextNode()) {
    std::optional<int64_t> loop = smith::getMarkedLoop(op);
    if (!loop)
      continue;
    auto [entry, isNew] = own.try_emplace(*loop, free);
    free += isNew;
    op->setAttr("loop", OpBuilder(op).getI64IntegerAttr(entry->second));
  }
}

Value BackwardLoops::sum(ImplicitLocOpBuilder &builder, int64_t loop,
                         Value term) {
  RankedTensorType type = typeOf(term);
  auto wide = type;
  if (type.getElementTypeBitWidth() < 32)
    wide = RankedTensorType::get(type.getShape(), builder.getF32Type());
  if (wide != type)
    term = stablehlo::ConvertOp::create(builder, wide, term);
  smith::LoopCarryOp soFar = carry(builder, loop, filled(builder, wide, 0.0));
  Value next = stablehlo::AddOp::create(builder, soFar, term);
  Value total = finish(builder, soFar, next);
  return wide == type ? total
                      : stablehlo::ConvertOp::create(builder, type, total);
}

Value BackwardLoops::stack(ImplicitLocOpBuilder &builder,
                           smith::LoopSliceOp slice, Value cotangent) {
  return smith::LoopStackOp::create(builder, slice.getInput().getType(),
                                    cotangent, numberOf(slice.getLoop()),
                                    slice.getCount(), !slice.getReversed());
}

Value BackwardLoops::slice(ImplicitLocOpBuilder &builder,
                           smith::LoopStackOp stack, Value cotangent) {
  return smith::LoopSliceOp::create(builder, stack.getInput().getType(),
                                    cotangent, numberOf(stack.getLoop()),
                                    stack.getCount(), !stack.getReversed());
}

void BackwardLoops::keepForwardValues(Operation *lastForward) {
  if (nest.counts().empty())
    return;
  SmallVector<Operation *> readers;
  for (Operation *op = lastForward->getNextNode(); op != block.getTerminator();
       op = op->getNextNode())
    readers.push_back(op);
  for (Operation *op : readers)
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!nest.loopsOf(operand).empty())
          read.insert(operand);
    });
  for (Operation *op : readers) {
    reader.setInsertionPoint(op);
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (!nest.loopsOf(operand.get()).empty())
          operand.set(keep(operand.get()));
    });
  }
}

/// The value in the backward pass, made at the reader's position.
Value BackwardLoops::keep(Value value) {
  if (nest.loopsOf(value).empty())
    return value;
  if (Value known = kept.lookup(value))
    return known;
  Value result = makeAgain(value);
  if (!result)
    result = keepStacked(value);
  return kept[value] = result;
}

/// Whether a value is there in the backward pass, or costs little there,
/// without being kept for itself alone.
bool BackwardLoops::isAtHand(Value value) {
  return nest.loopsOf(value).empty() || read.contains(value) ||
         isMadeOfKept(value);
}

bool BackwardLoops::isMadeOfKept(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<smith::LoopIndexOp, smith::LoopEnterOp, smith::LoopSliceOp>(op))
    return true;
  auto [known, isNew] = madeOfKept.try_emplace(value, false);
  if (!isNew || !isCheap(op))
    return known->second;
  bool isMade = llvm::all_of(op->getOperands(),
                             [&](Value operand) { return isAtHand(operand); });
  return madeOfKept[value] = isMade;
}

Value BackwardLoops::makeAgain(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<smith::LoopIndexOp>(op)) {
    ImplicitLocOpBuilder here(op->getLoc(), reader);
    Value own = smith::LoopIndexOp::create(
        here, index.getType(), numberOf(index.getLoop()), index.getCount());
    auto last = DenseElementsAttr::get(cast<ShapedType>(index.getType()),
                                       int32_t(index.getCount() - 1));
    Value constant = stablehlo::ConstantOp::create(here, last);
    return stablehlo::SubtractOp::create(here, constant, own);
  }
  if (auto entered = dyn_cast<smith::LoopEnterOp>(op))
    return smith::LoopEnterOp::create(
        reader, op->getLoc(), entered.getType(), keep(entered.getInput()),
        numberOf(entered.getLoop()), entered.getCount());
  if (auto slice = dyn_cast<smith::LoopSliceOp>(op))
    return smith::LoopSliceOp::create(
        reader, op->getLoc(), slice.getType(), keep(slice.getInput()),
        numberOf(slice.getLoop()), slice.getCount(), !slice.getReversed());
  if (!isMadeAgain(op) && !isMadeOfKept(value))
    return nullptr;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, keep(operand));
  Operation *again = reader.clone(*op, operands);
  // It belongs to the backward pass.
  again->removeAttr(smith::kUnitAttributeName);
  again->removeAttr(smith::kRecomputeAttributeName);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), again->getResults()))
    kept[old] = result;
  return kept.lookup(value);
}

Value BackwardLoops::keepStacked(Value value) {
  smith::LoopChain chain = nest.loopsOf(value);
  OpBuilder writer(value.getContext());
  writer.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Value result = value;
  for (int64_t loop : llvm::reverse(chain)) {
    int64_t count = nest.counts().lookup(loop);
    result = smith::LoopStackOp::create(
        writer, loc, stackedType(typeOf(result), count), result, loop, count,
        /*reversed=*/false);
  }
  for (int64_t loop : chain)
    result = smith::LoopSliceOp::create(
        reader, loc, elementType(typeOf(result)), result, numberOf(loop),
        nest.counts().lookup(loop),
        /*reversed=*/true);
  return result;
}

} // namespace shardsmith
