// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/RowOps.h"

#include "VerifyAxes.h"

#include "shardsmith/Interfaces/FactorRuleModel.h"
#include "shardsmith/Interfaces/WorkModel.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithRowOps.cpp.inc"

namespace shardsmith::smith {
namespace {

LogicalResult verifyPacked(Operation *op, RankedTensorType rows,
                           RankedTensorType packed, RankedTensorType slots) {
  if (rows.getRank() != 3 || slots.getRank() != 2 ||
      rows.getShape().take_front(2) != slots.getShape())
    return op->emitOpError()
           << "has rows of type " << rows << " and slots of type " << slots
           << ": expected [samples, rows, columns] and [samples, rows]";
  if (packed.getRank() != 4 || packed.getDimSize(1) != rows.getDimSize(0) ||
      packed.getDimSize(3) != rows.getDimSize(2) ||
      packed.getElementType() != rows.getElementType())
    return op->emitOpError()
           << "has packed rows of type " << packed
           << ": expected [parts, samples, slots, columns] with the samples, "
              "columns and elements of the rows, "
           << rows;
  return success();
}

/// Samples and columns pass through. A sample's rows must be all there, and so
/// must all slots, because rows name them by number. The order of factors is
/// that of both ops, so they are split alike.
///
///   pack    ([b, r, h], [b, r])->([p, b, s, h])
///   unpack  ([p, b, s, h], [b, r])->([b, r, h])
FactorRule ruleOf(RankedTensorType rows, RankedTensorType packed, bool packs) {
  FactorRuleBuilder builder(/*operandCount=*/2, /*resultCount=*/1);
  using Places = SmallVector<FactorRuleBuilder::Place, 2>;
  auto add = [&](int64_t size, std::optional<unsigned> inRows,
                 std::optional<unsigned> inPacked,
                 std::optional<unsigned> inSlots, FactorKind kind) {
    Places operands, results;
    if (inRows)
      (packs ? operands : results).push_back({0, *inRows});
    if (inPacked)
      (packs ? results : operands).push_back({0, *inPacked});
    if (inSlots)
      operands.push_back({1, *inSlots});
    builder.add(size, operands, results, kind);
  };
  add(rows.getDimSize(0), 0, 1, 0, FactorKind::PassThrough);
  add(rows.getDimSize(2), 2, 3, {}, FactorKind::PassThrough);
  add(rows.getDimSize(1), 1, {}, 1, FactorKind::NeedReplication);
  add(packed.getDimSize(0), {}, 0, {}, FactorKind::NeedReplication);
  add(packed.getDimSize(2), {}, 2, {}, FactorKind::NeedReplication);
  builder.addLinearSet({0});
  return builder.build();
}

} // namespace

LogicalResult PlaceRowsOp::verify() {
  RankedTensorType experts = typeOf(getExperts()), ends = typeOf(getEnds());
  if (experts.getRank() != 2 || typeOf(getSlots()) != experts)
    return emitOpError("has experts of type ")
           << experts << " and slots of type " << typeOf(getSlots())
           << ": expected [samples, rows] for both";
  if (ends.getRank() != 3 || ends.getDimSize(1) != experts.getDimSize(0) ||
      ends.getDimSize(2) < 1)
    return emitOpError("has ends of type ")
           << ends << ": expected [parts, samples, experts of a part] with the "
           << "samples of the experts, " << experts;
  return success();
}

LogicalResult PackRowsOp::verify() {
  return verifyPacked(*this, typeOf(getRows()), typeOf(getPacked()),
                      typeOf(getSlots()));
}

LogicalResult UnpackRowsOp::verify() {
  return verifyPacked(*this, typeOf(getRows()), typeOf(getPacked()),
                      typeOf(getSlots()));
}

LogicalResult LimitRowsOp::verify() {
  if (typeOf(getExperts()).getRank() != 2)
    return emitOpError("has experts of type ")
           << getExperts().getType() << ": expected [samples, rows]";
  if (getZigzag().has_value() != getPositions().has_value())
    return emitOpError("is in zigzag or says how many positions there are: "
                       "expected both or neither");
  if (!getZigzag())
    return success();
  int64_t rows = typeOf(getExperts()).getDimSize(1);
  int64_t ranks = *getZigzag(), positions = *getPositions();
  if (rows % positions != 0 || positions % 2 != 0 || positions / 2 % ranks != 0)
    return emitOpError() << "is in zigzag over " << ranks << " ranks with "
                         << rows << " rows of " << positions
                         << " positions: expected two equal parts per rank, "
                            "and equally many rows of each position";
  return success();
}

/// Rows of a position are neighbours, so positions are the major part.
bool LimitRowsOp::takesZigzag(FactorIndex factor, int64_t inner, int64_t size) {
  return factor == 1 && inner * size == typeOf(getExperts()).getDimSize(1);
}

void LimitRowsOp::putInZigzag(int64_t ranks, FactorIndex, int64_t,
                              int64_t size) {
  setZigzag(ranks);
  setPositions(size);
}

LogicalResult ExchangeRowsOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<int64_t> size = verifyAxes(*this, getAxes());
  if (failed(size))
    return failure();
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> in = shapeOf(getInput()), out = shapeOf(getResult());
  auto isBlocks = [&](ArrayRef<int64_t> shape) { return shape.size() >= 3; };
  if (!isBlocks(in) || !isBlocks(out) ||
      in.drop_front(2) != out.drop_front(2) ||
      getElementTypeOrSelf(getInput()) != getElementTypeOrSelf(getResult()))
    return emitOpError("exchanges ")
           << getInput().getType() << " for " << getResult().getType()
           << ": expected two dimensions of blocks, and equal blocks";
  if (checkedMultiply(in[0], in[1]) != checkedMultiply(out[0], out[1]) ||
      in[0] * in[1] % *size != 0)
    return emitOpError("exchanges ")
           << in[0] << " times " << in[1] << " blocks for " << out[0]
           << " times " << out[1] << " among " << *size
           << " members: expected as many, an equal number for each";
  auto counts = [&](Value ends, ArrayRef<int64_t> blocks) {
    ArrayRef<int64_t> shape = shapeOf(ends);
    return shape.size() == 3 && shape.back() > 0 &&
           shape.take_front(2) == blocks.take_front(2);
  };
  if (!counts(getSends(), in) || !counts(getReceives(), out))
    return emitOpError("counts rows by ")
           << getSends().getType() << " and " << getReceives().getType()
           << ": expected the dimensions of blocks of operand and result, and "
              "one more";
  return success();
}

FactorRule PlaceRowsOp::getFactorRule() {
  RankedTensorType experts = typeOf(getExperts()), ends = typeOf(getEnds());
  FactorRuleBuilder builder(/*operandCount=*/1, /*resultCount=*/2);
  builder.add(experts.getDimSize(0), {{0, 0}}, {{0, 0}, {1, 1}});
  builder.add(experts.getDimSize(1), {{0, 1}}, {{0, 1}},
              FactorKind::NeedReplication);
  builder.add(ends.getDimSize(0), {}, {{1, 0}}, FactorKind::NeedReplication);
  builder.add(ends.getDimSize(2), {}, {{1, 2}}, FactorKind::NeedReplication);
  return builder.build();
}

FactorRule PackRowsOp::getFactorRule() {
  return ruleOf(typeOf(getRows()), typeOf(getPacked()), /*packs=*/true);
}

FactorRule UnpackRowsOp::getFactorRule() {
  return ruleOf(typeOf(getRows()), typeOf(getPacked()), /*packs=*/false);
}

FactorRule LimitRowsOp::getFactorRule() {
  RankedTensorType experts = typeOf(getExperts());
  FactorRuleBuilder builder(/*operandCount=*/1, /*resultCount=*/1);
  builder.add(experts.getDimSize(0), {{0, 0}}, {{0, 0}});
  builder.add(experts.getDimSize(1), {{0, 1}}, {{0, 1}},
              FactorKind::NeedReplication);
  return builder.build();
}

OpWork PlaceRowsOp::getWork(Types operands, Types results) {
  return readAndWrite(OpWork::Kind::Standalone, operands, results);
}

OpWork PackRowsOp::getWork(Types operands, Types results) {
  return readAndWrite(OpWork::Kind::Standalone, operands, results);
}

OpWork UnpackRowsOp::getWork(Types operands, Types results) {
  return readAndWrite(OpWork::Kind::Standalone, operands, results);
}

OpWork LimitRowsOp::getWork(Types operands, Types results) {
  return readAndWrite(OpWork::Kind::Standalone, operands, results);
}

LogicalResult
PackRowsOp::buildDerivative(ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> resultCotangents,
                            SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.assign(2, nullptr);
  if (Value g = resultCotangents.front())
    operandCotangents[0] =
        UnpackRowsOp::create(builder, getRows().getType(), g, getSlots());
  return success();
}

LogicalResult
UnpackRowsOp::buildDerivative(ImplicitLocOpBuilder &builder,
                              ArrayRef<Value> resultCotangents,
                              SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.assign(2, nullptr);
  Value g = resultCotangents.front();
  if (!g)
    return success();
  auto pack = PackRowsOp::create(builder, getPacked().getType(), g, getSlots());
  // Rows go by the ranks they came from. (Cotangents that come back may be
  // terms of sums; they are left to be split as is best.)
  if (Attribute axes = (*this)->getAttr(kFactorAxesAttributeName))
    pack->setAttr(kFactorAxesAttributeName, axes);
  operandCotangents[0] = pack;
  return success();
}

} // namespace shardsmith::smith
