// SPDX-License-Identifier: Apache-2.0
// Derivatives of scatters that add or replace: the cotangents of the updates
// are gathered from where they were written.

#include "Families.h"
#include "Indexing.h"
#include "ReductionBody.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

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
  return compare(windows.gather(written), ComparisonDirection::EQ, numbers);
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

LogicalResult deriveScatter(ScatterOp op, TensorValue g,
                            Cotangents &cotangents) {
  IndexedWindows windows = IndexedWindows::of(op);
  TensorValue updates(g.builder(), op.getUpdates().front());
  switch (classifyBody(op.getUpdateComputation())) {
  case BodyKind::sum:
    return deriveAdd(windows, updates, g, cotangents);
  case BodyKind::replacement:
    return deriveReplace(windows, updates, g, cotangents);
  default:
    return op->emitError(
        "unsupported: no derivative for a scatter with this body: "
        "expected an add of the two block arguments, or the "
        "second one");
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
