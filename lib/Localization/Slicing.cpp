// SPDX-License-Identifier: Apache-2.0
//
// Slices list sizes of dimensions that they take whole; on one device these
// are the local sizes. Along dimensions that ops cut, enlarge, join or turn
// around, a device fetches the elements that its part of the result is made
// of, and does the same to them.

#include "LocalizeModel.h"
#include "Neighbours.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

SmallVector<Value> localizeSlice(SliceOp op, ImplicitLocOpBuilder &builder,
                                 const LocalizeContext &context,
                                 ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  SmallVector<int64_t> starts(op.getStartIndices()),
      limits(op.getLimitIndices());
  Value value = operands[0];
  for (auto [dim, axes] : llvm::enumerate(context.getResultLayout(0).dims)) {
    if (axes.empty())
      continue;
    limits[dim] = local.getDimSize(dim);
    if (auto exchange = findExchange(context, 0, dim)) {
      value = fetchRange(builder, context, 0, dim, *exchange, value,
                         createZero(builder, value))
                  .value;
      starts[dim] = 0;
      limits[dim] = exchange->size;
    }
  }
  return {
      SliceOp::create(builder, local, value, starts, limits, op.getStrides())};
}

SmallVector<Value> localizePad(PadOp op, ImplicitLocOpBuilder &builder,
                               const LocalizeContext &context,
                               ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  SmallVector<int64_t> low(op.getEdgePaddingLow()),
      high(op.getEdgePaddingHigh()), interior(op.getInteriorPadding());
  Value value = operands[0];
  for (unsigned dim = 0; dim < low.size(); ++dim)
    if (auto exchange = findExchange(context, 0, dim)) {
      FetchedRange range =
          fetchRange(builder, context, 0, dim, *exchange, value, operands[1]);
      value = range.value;
      low[dim] = range.low;
      high[dim] = range.high;
      interior[dim] = range.interior;
    }
  auto isZero = [](int64_t number) { return number == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) &&
      llvm::all_of(interior, isZero) && value != operands[0])
    return {value};
  return {
      PadOp::create(builder, local, value, operands[1], low, high, interior)};
}

SmallVector<Value> localizeReverse(ReverseOp op, ImplicitLocOpBuilder &builder,
                                   const LocalizeContext &context,
                                   ValueRange operands) {
  Value value = operands[0];
  for (int64_t dim : op.getDimensions())
    if (auto exchange = findExchange(context, 0, dim))
      value = fetchRange(builder, context, 0, dim, *exchange, value,
                         createZero(builder, value))
                  .value;
  return context.rebuild(builder, value)->getResults();
}

/// Each operand is moved to where its elements are in the result; the device
/// takes every position from the operand that has it.
///
///   result  0 1 2 3 | 4 5 6 7      of operands of 5 and 3 elements
///           a a a a | a b b b
SmallVector<Value> localizeConcatenate(ConcatenateOp op,
                                       ImplicitLocOpBuilder &builder,
                                       const LocalizeContext &context,
                                       ValueRange operands) {
  unsigned dim = op.getDimension();
  if (!findExchange(context, 0, dim))
    return context.rebuild(builder, operands)->getResults();
  RankedTensorType local = getLocalResultType(context);
  Value shard = context.getShardIndex(context.getResultLayout(0).dims[dim]);
  Value joined;
  int64_t end = 0;
  for (auto [index, value] : llvm::enumerate(operands)) {
    auto exchange = findExchange(context, index, dim);
    Value moved = fetchRange(builder, context, index, dim, *exchange, value,
                             createZero(builder, value))
                      .value;
    joined =
        joined ? SelectOp::create(builder, local,
                                  createInside(builder, local, dim, shard, end),
                                  joined, moved)
                     .getResult()
               : moved;
    end += typeOf(op->getOperand(index)).getDimSize(dim);
  }
  return {joined};
}

} // namespace

void attachSlicingLocalization(MLIRContext *context) {
  LocalizeModel<ConcatenateOp, localizeConcatenate>::attach(context);
  LocalizeModel<PadOp, localizePad>::attach(context);
  LocalizeModel<ReverseOp, localizeReverse>::attach(context);
  LocalizeModel<SliceOp, localizeSlice>::attach(context);
}

} // namespace shardsmith::stablehlo
