// SPDX-License-Identifier: Apache-2.0
//
// Rows that are dropped are counted once: by the first of the devices that have
// copies of the same samples. Stages have mixtures of their own.

#include "LocalizeModel.h"
#include "shardsmith/Dialect/Smith/RowOps.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

SmallVector<Value> localizeLimit(smith::LimitRowsOp op,
                                 ImplicitLocOpBuilder &builder,
                                 const LocalizeContext &context,
                                 ValueRange operands) {
  const Mesh &mesh = context.getMesh();
  ArrayRef<MeshAxis> split = context.getOperandLayout(0).dims[0];
  AxisList copies;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    if (!llvm::is_contained(split, axis) &&
        mesh.getName(axis) != smith::kPipelineAxisName)
      copies.push_back(axis);
  auto local = cast<smith::LimitRowsOp>(context.rebuild(builder, operands));
  if (!copies.empty())
    local.setCopiesAttr(toAxisNames(builder.getContext(), mesh, copies));
  return {local.getKept()};
}

} // namespace

void attachRowLocalization(MLIRContext *context) {
  LocalizeModel<smith::LimitRowsOp, localizeLimit>::attach(context);
}

} // namespace shardsmith::stablehlo
