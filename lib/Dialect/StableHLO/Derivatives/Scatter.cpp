// SPDX-License-Identifier: Apache-2.0
// Derivatives of scatters with a single well-known op: the cotangents of the
// updates are gathered from where they were written.

#include "Families.h"
#include "Indexing.h"
#include "ReductionBody.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// A tensor of `type` with a different number, from 1, in every element.
TensorValue numberElements(ImplicitLocOpBuilder &builder,
                           RankedTensorType type) {
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  return reshape(iota(builder, flat, 0) + 1.0, type.getShape());
}

/// Which updates were the last to write, where several may write one element:
/// numbers are scattered in place of the updates and read back.
TensorValue isLastWriter(const IndexedWindows &windows,
                         ImplicitLocOpBuilder &builder, TensorValue updates) {
  Type numberType = builder.getI32Type();
  TensorValue numbers = numberElements(
      builder, RankedTensorType::get(updates.shape(), numberType));
  auto operandType =
      RankedTensorType::get(windows.operandType.getShape(), numberType);
  TensorValue written =
      windows.scatterReplace(filled(builder, operandType, 0.0), numbers);
  return compare(windows.gather(written), Direction::EQ, numbers);
}

LogicalResult deriveAdd(const IndexedWindows &windows, TensorValue updates,
                        TensorValue g, Cotangents &cotangents) {
  TensorValue gathered = windows.gather(g);
  TensorValue wasWritten = windows.isInside(g.builder(), updates.type());
  cotangents[0] = g;
  cotangents[2] = select(wasWritten, gathered, gathered.filled(0.0));
  return success();
}

LogicalResult deriveReplace(const IndexedWindows &windows, TensorValue updates,
                            TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue gathered = windows.gather(g);
  TensorValue wasWritten = windows.uniqueIndices
                               ? windows.isInside(builder, updates.type())
                               : isLastWriter(windows, builder, updates);
  cotangents[0] = windows.scatterReplace(g, gathered.filled(0.0));
  cotangents[2] = select(wasWritten, gathered, gathered.filled(0.0));
  return success();
}

/// The element that was there and the updates written to it share the cotangent
/// evenly if they equal the extremum.
LogicalResult deriveExtremum(const IndexedWindows &windows, ScatterOp op,
                             TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue x(builder, op.getInputs().front());
  TensorValue updates(builder, op.getUpdates().front());
  TensorValue y(builder, op->getResult(0));
  TensorValue isKept = compare(x, Direction::EQ, y);
  TensorValue isTaken = compare(updates, Direction::EQ, windows.gather(y));
  isTaken = isTaken & windows.isInside(builder, updates.type());

  Type countType = builder.getI32Type();
  TensorValue keptCount = convert(isKept, countType);
  TensorValue count =
      windows.scatterAdd(keptCount, convert(isTaken, countType));
  TensorValue share = g / convert(count, g.elementType());
  cotangents[0] = select(isKept, share, g.filled(0.0));
  cotangents[2] = select(isTaken, windows.gather(share), updates.filled(0.0));
  return success();
}

/// y = x Π u:  dx = g Π u,  du_i = g x Π_{j≠i} u_j. As for reductions
/// (Reduce.cpp), the product over others is p / u_i where no update of the
/// element is zero, p at a single zero, and 0 otherwise, with p the product of
/// the updates that are not zero.
LogicalResult deriveProduct(const IndexedWindows &windows, ScatterOp op,
                            TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue x(builder, op.getInputs().front());
  TensorValue updates(builder, op.getUpdates().front());
  TensorValue isInside = windows.isInside(builder, updates.type());
  TensorValue none = updates.filled(0.0);
  cotangents[0] = windows.scatterMultiply(g, updates);
  if (windows.uniqueIndices) {
    cotangents[2] = select(isInside, windows.gather(g * x), none);
    return success();
  }

  TensorValue isZero = compare(updates, Direction::EQ, 0.0);
  TensorValue nonZero = select(isZero, updates.filled(1.0), updates);
  TensorValue rest = windows.scatterMultiply(g * x, nonZero);
  TensorValue marks = convert(isZero, builder.getI32Type());
  auto countType = RankedTensorType::get(g.shape(), builder.getI32Type());
  TensorValue zeros =
      windows.scatterAdd(filled(builder, countType, 0.0), marks);

  auto restWhere = [&](double count) {
    TensorValue hasCount = compare(zeros, Direction::EQ, count);
    return windows.gather(select(hasCount, rest, g.filled(0.0)));
  };
  TensorValue ofZero = restWhere(1.0);
  TensorValue ofOthers = select(isZero, ofZero, restWhere(0.0) / nonZero);
  cotangents[2] = select(isInside, ofOthers, none);
  return success();
}

LogicalResult deriveScatter(ScatterOp op, TensorValue g,
                            Cotangents &cotangents) {
  IndexedWindows windows = IndexedWindows::of(op);
  TensorValue updates(g.builder(), op.getUpdates().front());
  switch (classifyBody(op.getUpdateComputation())) {
  case BodyKind::sum:
    return deriveAdd(windows, updates, g, cotangents);
  case BodyKind::replacement:
    return deriveReplace(windows, updates, g, cotangents);
  case BodyKind::maximum:
  case BodyKind::minimum:
    return deriveExtremum(windows, op, g, cotangents);
  case BodyKind::product:
    return deriveProduct(windows, op, g, cotangents);
  default:
    return op->emitError(
        "unsupported: no derivative for a scatter with this body: "
        "expected one add, maximum, minimum or multiply of the two block "
        "arguments, or the second one");
  }
}

} // namespace

void attachScatterDerivatives(MLIRContext *context) {
  attachDerivative<ScatterOp>(
      context, [](ScatterOp op, TensorValue g, Cotangents &cotangents) {
        return deriveScatter(op, g, cotangents);
      });
}

} // namespace shardsmith
