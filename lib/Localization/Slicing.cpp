// SPDX-License-Identifier: Apache-2.0
//
// Slices list sizes of dimensions that they take whole; on one device these
// are the local sizes. Dimensions that they cut are never split.

#include "LocalizeModel.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

SmallVector<Value> localizeSlice(SliceOp op, ImplicitLocOpBuilder &builder,
                                 const LocalizeContext &context,
                                 ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  SmallVector<int64_t> limits(op.getLimitIndices());
  for (auto [dim, axes] : llvm::enumerate(context.getResultLayout(0).dims))
    if (!axes.empty())
      limits[dim] = local.getDimSize(dim);
  return {SliceOp::create(builder, local, operands[0], op.getStartIndices(),
                          limits, op.getStrides())};
}

SmallVector<Value> localizeDynamicSlice(DynamicSliceOp op,
                                        ImplicitLocOpBuilder &builder,
                                        const LocalizeContext &context,
                                        ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  return {DynamicSliceOp::create(builder, local, operands.front(),
                                 operands.drop_front(), local.getShape())};
}

} // namespace

void attachSlicingLocalization(MLIRContext *context) {
  LocalizeModel<DynamicSliceOp, localizeDynamicSlice>::attach(context);
  LocalizeModel<SliceOp, localizeSlice>::attach(context);
}

} // namespace shardsmith::stablehlo
