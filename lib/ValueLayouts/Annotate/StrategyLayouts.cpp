// SPDX-License-Identifier: Apache-2.0

#include "StrategyLayouts.h"

using namespace mlir;

namespace shardsmith::annotate {

using namespace workload;

namespace {

bool isFirstOf(ArrayRef<int> groups, size_t index) {
  return groups[index] >= 0 &&
         !llvm::is_contained(groups.take_front(index), groups[index]);
}

/// The axes of `wanted` that split no part of the layout yet.
AxisList unusedOf(const PartLayout &layout, ArrayRef<MeshAxis> wanted) {
  AxisList list;
  for (MeshAxis axis : wanted)
    if (llvm::none_of(layout.axes, [&](const AxisList &other) {
          return llvm::is_contained(other, axis);
        }))
      list.push_back(axis);
  return list;
}

/// Parts in the order in which they take their axes: batch and positions before
/// experts, because rows of tokens are split as their tokens are and only what
/// has no tokens goes by experts.
SmallVector<size_t> orderOf(ArrayRef<ValuePart> parts) {
  SmallVector<size_t> order;
  for (bool isExpert : {false, true})
    for (auto [index, part] : llvm::enumerate(parts))
      if ((part.role == FactorRole::Expert) == isExpert)
        order.push_back(index);
  return order;
}

} // namespace

ArrayRef<MeshAxis> StrategyLayouts::axesOf(FactorRole role) const {
  switch (role) {
  case FactorRole::Batch:
    return axes.batch;
  case FactorRole::Sequence:
    return axes.sequence;
  case FactorRole::Expert:
    return axes.expert;
  case FactorRole::Other:
    break;
  }
  return {};
}

PartLayout StrategyLayouts::kept(BlockIndex block, const MappedTensor &mapped,
                                 ArrayRef<ValuePart> parts) const {
  const Tensor &tensor = workload.blocks[block].tensors[mapped.tensor];
  const TensorLayout &chosen = strategy.layouts[block].tensors[mapped.tensor];
  bool isParameter = tensor.role == TensorRole::Parameter;
  PartLayout layout = PartLayout::whole(parts.size());
  layout.groups.assign(mapped.dims.begin(), mapped.dims.end());
  for (size_t index : orderOf(parts)) {
    if (!isFirstOf(layout.groups, index))
      continue;
    FactorRole role = parts[index].role;
    if (!isParameter || role == FactorRole::Expert)
      layout.axes[index] = unusedOf(layout, axesOf(role));
    if (chosen == TensorLayout::split(mapped.dims[index]))
      layout.axes[index].append(axes.tensor);
  }
  return layout;
}

/// Positions that an op needs whole are gathered. With all-to-all, attention
/// sees whole sequences of a part of the heads.
AxisList StrategyLayouts::axesInOp(const Op &op, FactorIndex index) const {
  const workload::Factor &factor = op.factors[index];
  bool swapsHeads = op.attention && strategy.context > 1 &&
                    strategy.contextMethod == ContextMethod::AllToAll;
  if (swapsHeads && index == op.attention->keyValueHeads)
    return axes.sequence;
  if (factor.kind == workload::FactorKind::Whole ||
      (swapsHeads && factor.role == FactorRole::Sequence))
    return {};
  return AxisList(axesOf(factor.role));
}

/// Of a ring the products themselves read keys and values as they are kept, in
/// the ranks' parts. (A graph that is only shown has them whole there, which is
/// what a full turn amounts to.)
bool StrategyLayouts::isRing(const Op &op, OpSplit tensorSplit) const {
  if (!op.attention || showsWholeKeys || strategy.context == 1 ||
      strategy.contextMethod != ContextMethod::Ring)
    return false;
  const workload::Factor &queries = op.factors[op.attention->queries];
  const workload::Factor &keys = op.factors[op.attention->keys];
  return keys.role == FactorRole::Sequence &&
         queries.role == FactorRole::Sequence && keys.size == queries.size &&
         tensorSplit.factor != op.attention->queries;
}

PartLayout StrategyLayouts::seen(BlockIndex block, OpIndex index,
                                 const PartFactors &factors,
                                 ArrayRef<ValuePart> parts) const {
  const Op &op = workload.blocks[block].ops[index];
  std::optional<FactorIndex> split = strategy.layouts[block].ops[index].factor;
  PartLayout layout = PartLayout::whole(parts.size());
  bool hasRingKeys = isRing(op, strategy.layouts[block].ops[index]);
  for (auto [part, factor] : llvm::enumerate(factors))
    if (factor) {
      layout.groups[part] = int(*factor);
      // What has queries, too, is split by these.
      hasRingKeys &= *factor != op.attention->queries;
    }
  for (size_t part : orderOf(parts)) {
    if (!isFirstOf(layout.groups, part))
      continue;
    bool isRingKey = hasRingKeys && *factors[part] == op.attention->keys;
    AxisList own = unusedOf(layout, isRingKey ? axes.sequence
                                              : axesInOp(op, *factors[part]));
    AxisList &list = layout.axes[part];
    bool isSplit = split == factors[part];
    // Heads are split by the tensor axis first; positions by context first.
    if (isSplit && parts[part].role == FactorRole::Other)
      list.append(axes.tensor);
    list.append(own);
    if (isSplit && parts[part].role != FactorRole::Other)
      list.append(axes.tensor);
  }
  return layout;
}

bool StrategyLayouts::canBeWritten(ArrayRef<ValuePart> parts,
                                   const PartLayout &layout) const {
  for (auto [index, list] : llvm::enumerate(layout.axes)) {
    int group = layout.groups[index];
    if (list.empty() || group < 0)
      continue;
    int64_t inDim = 1;
    bool goesOn = false;
    for (auto [other, part] : llvm::enumerate(parts)) {
      if (layout.groups[other] != group)
        continue;
      if (part.dim == parts[index].dim)
        inDim *= part.size;
      else
        goesOn = true;
    }
    if (goesOn && inDim % axes.named.mesh.countShards(list) != 0)
      return false;
  }
  return true;
}

} // namespace shardsmith::annotate
