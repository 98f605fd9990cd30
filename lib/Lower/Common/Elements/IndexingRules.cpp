// SPDX-License-Identifier: Apache-2.0
//
// Ops that only move elements: an element of the result is an element of an
// operand somewhere else.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

Type registerTypeOf(Value tensor) { return registerType(elementOf(tensor)); }

bool anyLanes(ArrayRef<LaneIndex> index) {
  return !llvm::all_of(index, [](auto &i) { return i.isUniform(); });
}

/// An integer element as a position of a dimension.
LaneIndex positionFrom(ElementEmitter &emitter, Value element, bool isSigned) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type wide = builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(element.getType()))
    wide = vector.clone(wide);
  if (laneType(element).getIntOrFloatBitWidth() < 64)
    element = isSigned ? Value(arith::ExtSIOp::create(builder, wide, element))
                       : Value(arith::ExtUIOp::create(builder, wide, element));
  if (isa<VectorType>(element.getType()))
    return LaneIndex::general(element);
  return LaneIndex::at(element);
}

bool isSignedTensor(Value tensor) {
  return !cast<RankedTensorType>(tensor.getType())
              .getElementType()
              .isUnsignedInteger();
}

Value broadcastInDim(ElementEmitter &emitter, Operation *op,
                     ArrayRef<LaneIndex> index) {
  auto broadcast = cast<stablehlo::BroadcastInDimOp>(op);
  LaneIndices source;
  for (auto [dimension, size] : llvm::zip_equal(
           broadcast.getBroadcastDimensions(), shapeOf(broadcast.getOperand())))
    source.push_back(size == 1 ? LaneIndex::constant(0) : index[dimension]);
  return emitter.emit(broadcast.getOperand(), source);
}

Value reshape(ElementEmitter &emitter, Operation *op,
              ArrayRef<LaneIndex> index) {
  Value operand = op->getOperand(0);
  return emitter.emit(
      operand, emitter.arithmetic.reshape(index, shapeOf(op->getResult(0)),
                                          shapeOf(operand)));
}

Value transpose(ElementEmitter &emitter, Operation *op,
                ArrayRef<LaneIndex> index) {
  auto transposed = cast<stablehlo::TransposeOp>(op);
  LaneIndices source(index.size());
  for (auto [to, from] : llvm::enumerate(transposed.getPermutation()))
    source[from] = index[to];
  return emitter.emit(transposed.getOperand(), source);
}

Value reverse(ElementEmitter &emitter, Operation *op,
              ArrayRef<LaneIndex> index) {
  auto reversed = cast<stablehlo::ReverseOp>(op);
  LaneIndices source(index);
  for (int64_t d : reversed.getDimensions())
    source[d] = emitter.arithmetic.plus(emitter.arithmetic.times(source[d], -1),
                                        shapeOf(op->getResult(0))[d] - 1);
  return emitter.emit(reversed.getOperand(), source);
}

Value slice(ElementEmitter &emitter, Operation *op, ArrayRef<LaneIndex> index) {
  auto sliced = cast<stablehlo::SliceOp>(op);
  LaneIndices source;
  for (auto [position, start, stride] :
       llvm::zip_equal(index, sliced.getStartIndices(), sliced.getStrides()))
    source.push_back(emitter.arithmetic.plus(
        emitter.arithmetic.times(position, stride), start));
  return emitter.emit(sliced.getOperand(), source);
}

Value iota(ElementEmitter &emitter, Operation *op, ArrayRef<LaneIndex> index) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const LaneIndex &position =
      index[cast<stablehlo::IotaOp>(op).getIotaDimension()];
  Type element = registerTypeOf(op->getResult(0));
  bool isInteger = isa<IntegerType>(element);
  Type integer = isInteger ? element : Type(builder.getI64Type());
  Value number;
  if (position.isUniform()) {
    number = emitter.arithmetic.scalar(position);
    if (integer.getIntOrFloatBitWidth() < 64)
      number = arith::TruncIOp::create(builder, integer, number);
  } else {
    number = emitter.arithmetic.vector(position, integer);
  }
  if (isInteger)
    return number;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(number.getType()))
    type = vector.clone(element);
  return arith::SIToFPOp::create(builder, type, number);
}

Value pad(ElementEmitter &emitter, Operation *op, ArrayRef<LaneIndex> index) {
  auto padded = cast<stablehlo::PadOp>(op);
  ImplicitLocOpBuilder &builder = emitter.builder;
  LaneArithmetic &arithmetic = emitter.arithmetic;
  LaneCondition condition;
  LaneIndices source(index);
  for (auto [d, size] : llvm::enumerate(shapeOf(padded.getOperand()))) {
    int64_t low = padded.getEdgePaddingLow()[d];
    int64_t high = padded.getEdgePaddingHigh()[d];
    int64_t step = padded.getInteriorPadding()[d] + 1;
    if (low == 0 && high == 0 && step == 1)
      continue;
    // An empty operand has no element to load; every element is padding.
    if (size == 0)
      return emitter.emit(padded.getPaddingValue(), {});
    int64_t extent = (size - 1) * step + 1;
    LaneIndex inside =
        arithmetic.restrict(index[d], low, low + extent, condition);
    inside = arithmetic.plus(inside, -low);
    if (step > 1) {
      auto [quotient, remainder] = arithmetic.divide(inside, step);
      bool uniform = remainder.isUniform();
      Value rest = uniform ? arithmetic.scalar(remainder)
                           : arithmetic.vector(remainder, builder.getI64Type());
      Value onElement =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rest,
                                integerLike(builder, rest, 0));
      Value &place = uniform ? condition.uniform : condition.lanes;
      place = place ? Value(arith::AndIOp::create(builder, place, onElement))
                    : onElement;
      inside = quotient;
    }
    source[d] = inside;
  }
  return emitter.emitIf(
      condition, registerTypeOf(op->getResult(0)),
      [&] { return emitter.emit(padded.getOperand(), source); },
      [&] { return emitter.emit(padded.getPaddingValue(), {}); },
      anyLanes(index));
}

Value concatenatePieces(ElementEmitter &emitter, stablehlo::ConcatenateOp op,
                        unsigned piece, int64_t start,
                        ArrayRef<LaneIndex> index) {
  Value operand = op.getInputs()[piece];
  int64_t d = op.getDimension();
  int64_t end = start + shapeOf(operand)[d];
  LaneCondition condition;
  LaneIndices source(index);
  bool isLast = piece + 1 == op.getInputs().size();
  if (isLast) {
    // Lanes may still be elsewhere, chosen by another piece's condition.
    if (index[d].isUniform()) {
      source[d] = emitter.arithmetic.plus(index[d], -start);
    } else {
      LaneCondition ignored;
      source[d] = emitter.arithmetic.plus(
          emitter.arithmetic.restrict(index[d], start, end, ignored), -start);
    }
    return emitter.emit(operand, source);
  }
  source[d] = emitter.arithmetic.plus(
      emitter.arithmetic.restrict(index[d], start, end, condition), -start);
  return emitter.emitIf(
      condition, registerTypeOf(op.getResult()),
      [&] { return emitter.emit(operand, source); },
      [&] { return concatenatePieces(emitter, op, piece + 1, end, index); },
      anyLanes(index));
}

Value concatenate(ElementEmitter &emitter, Operation *op,
                  ArrayRef<LaneIndex> index) {
  return concatenatePieces(emitter, cast<stablehlo::ConcatenateOp>(op), 0, 0,
                           index);
}

/// Start of a dynamic slice in one dimension, clamped so that it fits.
LaneIndex startPosition(ElementEmitter &emitter, Value start, int64_t highest) {
  Value element = emitter.emit(start, {});
  return emitter.arithmetic.clamp(
      positionFrom(emitter, element, isSignedTensor(start)), highest);
}

Value dynamicSlice(ElementEmitter &emitter, Operation *op,
                   ArrayRef<LaneIndex> index) {
  auto sliced = cast<stablehlo::DynamicSliceOp>(op);
  LaneIndices source;
  for (auto [d, size] : llvm::enumerate(shapeOf(sliced.getOperand()))) {
    int64_t highest = size - sliced.getSliceSizes()[d];
    source.push_back(emitter.arithmetic.plus(
        index[d],
        startPosition(emitter, sliced.getStartIndices()[d], highest)));
  }
  return emitter.emit(sliced.getOperand(), source);
}

Value dynamicUpdateSlice(ElementEmitter &emitter, Operation *op,
                         ArrayRef<LaneIndex> index) {
  auto updated = cast<stablehlo::DynamicUpdateSliceOp>(op);
  LaneArithmetic &arithmetic = emitter.arithmetic;
  LaneCondition condition;
  LaneIndices source(index);
  for (auto [d, size] : llvm::enumerate(shapeOf(updated.getUpdate()))) {
    int64_t highest = shapeOf(updated.getOperand())[d] - size;
    if (highest == 0)
      continue;
    if (size == 0)
      return emitter.emit(updated.getOperand(), index);
    LaneIndex start =
        startPosition(emitter, updated.getStartIndices()[d], highest);
    LaneIndex relative = arithmetic.plus(index[d], arithmetic.times(start, -1));
    // Nothing is known of the sum of an index and a run-time start.
    relative.multiple = relative.base ? 1 : 0;
    source[d] = arithmetic.restrict(relative, 0, size, condition);
  }
  return emitter.emitIf(
      condition, registerTypeOf(op->getResult(0)),
      [&] { return emitter.emit(updated.getUpdate(), source); },
      [&] { return emitter.emit(updated.getOperand(), index); },
      anyLanes(index));
}

// result[batch…, offset…] = operand[start(batch…) + offset…], where the start
// is clamped so that the whole slice lies in the operand.
Value gather(ElementEmitter &emitter, Operation *op,
             ArrayRef<LaneIndex> index) {
  auto gathered = cast<stablehlo::GatherOp>(op);
  auto numbers = gathered.getDimensionNumbers();
  ArrayRef<int64_t> operandShape = shapeOf(gathered.getOperand());
  LaneArithmetic &arithmetic = emitter.arithmetic;

  LaneIndices batch, offset;
  for (auto [d, position] : llvm::enumerate(index))
    (llvm::is_contained(numbers.getOffsetDims(), d) ? offset : batch)
        .push_back(position);

  // The index of a start vector's component in start_indices.
  int64_t vectorDimension = numbers.getIndexVectorDim();
  int64_t indexRank = shapeOf(gathered.getStartIndices()).size();
  auto componentIndex = [&](int64_t component) {
    LaneIndices at(batch);
    if (vectorDimension < indexRank)
      at.insert(at.begin() + vectorDimension, LaneIndex::constant(component));
    return at;
  };

  LaneIndices source(operandShape.size(), LaneIndex::constant(0));
  unsigned nextOffset = 0;
  for (int64_t d = 0, e = operandShape.size(); d < e; ++d)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), d))
      source[d] = offset[nextOffset++];

  for (auto [component, d] : llvm::enumerate(numbers.getStartIndexMap())) {
    Value start =
        emitter.emit(gathered.getStartIndices(), componentIndex(component));
    LaneIndex position = arithmetic.clamp(
        positionFrom(emitter, start,
                     isSignedTensor(gathered.getStartIndices())),
        operandShape[d] - gathered.getSliceSizes()[d]);
    source[d] = arithmetic.plus(source[d], position);
  }
  LaneIndices firstComponent = componentIndex(0);
  for (auto [operandDimension, indexDimension] :
       llvm::zip_equal(numbers.getOperandBatchingDims(),
                       numbers.getStartIndicesBatchingDims()))
    source[operandDimension] = firstComponent[indexDimension];
  return emitter.emit(gathered.getOperand(), source);
}

Value constant(ElementEmitter &emitter, Operation *op, ArrayRef<LaneIndex>) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto values =
      cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(op).getValue());
  Type element = registerTypeOf(op->getResult(0));
  if (isa<FloatType>(element)) {
    double number = values.getSplatValue<APFloat>().convertToDouble();
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(element, number));
  }
  return arith::ConstantOp::create(
      builder, builder.getIntegerAttr(element, values.getSplatValue<APInt>()));
}

} // namespace

void addIndexingRules(ElementRules &rules) {
  auto add = [&](StringRef name, ElementRule::Indexing indexing) {
    rules[name] = {indexing, nullptr};
  };
  add("stablehlo.broadcast_in_dim", broadcastInDim);
  add("stablehlo.concatenate", concatenate);
  add("stablehlo.constant", constant);
  add("stablehlo.dynamic_slice", dynamicSlice);
  add("stablehlo.dynamic_update_slice", dynamicUpdateSlice);
  add("stablehlo.gather", gather);
  add("stablehlo.iota", iota);
  add("stablehlo.pad", pad);
  add("stablehlo.reshape", reshape);
  add("stablehlo.reverse", reverse);
  add("stablehlo.slice", slice);
  add("stablehlo.transpose", transpose);
}

} // namespace shardsmith::lower
