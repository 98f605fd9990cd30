// SPDX-License-Identifier: Apache-2.0
//
// Ops that make a tensor from nothing: each device makes its own part.

#include "LocalizeModel.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// A splat gets smaller; other constants stay whole and are sliced.
SmallVector<Value> localizeConstant(ConstantOp op,
                                    ImplicitLocOpBuilder &builder,
                                    const LocalizeContext &context,
                                    ValueRange) {
  RankedTensorType local = getLocalResultType(context);
  auto elements = cast<ElementsAttr>(op.getValue());
  if (auto splat = dyn_cast<SplatElementsAttr>(elements))
    return {ConstantOp::create(builder, splat.resizeSplat(local))};
  return {createShardSlice(
      builder, context.getMesh(), context.getShardIndices(),
      ConstantOp::create(builder, elements), context.getResultLayout(0).dims)};
}

/// Counts locally from the shard's offset, in integers that are exact, and
/// converts last: a bf16 count plus a bf16 offset would round twice.
SmallVector<Value> localizeIota(IotaOp op, ImplicitLocOpBuilder &builder,
                                const LocalizeContext &context, ValueRange) {
  RankedTensorType local = getLocalResultType(context);
  int64_t dim = op.getIotaDimension();
  const AxisList &axes = context.getResultLayout(0).dims[dim];
  if (axes.empty())
    return {IotaOp::create(builder, local, dim)};
  Type element = isa<IntegerType>(local.getElementType())
                     ? local.getElementType()
                     : builder.getI32Type();
  RankedTensorType counting = local.clone(element);
  Value offset = createShardOffset(builder, context.getShardIndex(axes),
                                   local.getDimSize(dim), element);
  Value positions = AddOp::create(
      builder, IotaOp::create(builder, counting, dim),
      BroadcastInDimOp::create(builder, counting, offset, ArrayRef<int64_t>()));
  if (counting == local)
    return {positions};
  return {ConvertOp::create(builder, local, positions)};
}

} // namespace

void attachGeneratorLocalization(MLIRContext *context) {
  LocalizeModel<ConstantOp, localizeConstant>::attach(context);
  LocalizeModel<IotaOp, localizeIota>::attach(context);
}

} // namespace shardsmith::stablehlo
