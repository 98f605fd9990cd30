// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Localization/LocalizeContext.h"

using namespace mlir;

namespace shardsmith {

Value ShardIndices::get(ArrayRef<MeshAxis> axes) {
  ArrayAttr names = toAxisNames(body->getParentOp()->getContext(), mesh, axes);
  Value &index = indices[names];
  if (!index) {
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    auto type = RankedTensorType::get({}, builder.getI32Type());
    index = smith::ShardIndexOp::create(builder, body->getParentOp()->getLoc(),
                                        type, names);
  }
  return index;
}

LocalizeContext::LocalizeContext(Operation *op, const Mesh &mesh,
                                 ShardIndices &indices, const IRMapping &locals,
                                 FactorRule rule, FactorAxes axes)
    : op(op), mesh(mesh), indices(indices), locals(locals),
      rule(std::move(rule)), axes(std::move(axes)) {
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    operands.push_back(
        shardsmith::getOperandLayout(mesh, this->rule, this->axes, operand));
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    results.push_back(
        shardsmith::getResultLayout(mesh, this->rule, this->axes, result));
}

LocalizeContext::LocalizeContext(Operation *op, const Mesh &mesh,
                                 ShardIndices &indices, const IRMapping &locals,
                                 ArrayRef<Layout> results)
    : op(op), mesh(mesh), indices(indices), locals(locals), results(results) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    operands.push_back(Layout::replicated(type ? type.getRank() : 0));
  }
}

Type LocalizeContext::getLocalResultType(unsigned result) const {
  return getLocalType(mesh, op->getResult(result).getType(), results[result],
                      shardsHeld);
}

int64_t LocalizeContext::getLocalSize(FactorIndex factor) const {
  int64_t size = rule.factors[factor].size;
  const AxisList &split = axes.factors[factor];
  if (split.empty())
    return size;
  return ceilDivide(size, mesh.countShards(split)) * shardsHeld;
}

Operation *LocalizeContext::rebuild(ImplicitLocOpBuilder &builder,
                                    ValueRange localOperands) const {
  // Regions may use values from outside, so the mapping covers all of them;
  // the op's own operands may have been changed and come on top.
  IRMapping mapping = locals;
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(localOperands);
  for (OpResult result : copy->getResults())
    result.setType(getLocalResultType(result.getResultNumber()));
  copy->removeAttr(sdy::kShardingAttributeName);
  copy->removeAttr(smith::kFactorAxesAttributeName);
  return copy;
}

Type getLocalType(const Mesh &mesh, Type type, const Layout &layout,
                  int64_t shardsHeld) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || layout.isReplicated())
    return type;
  SmallVector<int64_t> shape = getLocalShape(mesh, tensor.getShape(), layout);
  for (auto [size, axes] : llvm::zip_equal(shape, layout.dims))
    if (!axes.empty())
      size *= shardsHeld;
  return tensor.clone(shape);
}

} // namespace shardsmith
