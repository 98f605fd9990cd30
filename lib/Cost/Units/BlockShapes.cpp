// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/BlockShapes.h"
#include "DimensionOf.h"

#include <algorithm>
#include <bit>

namespace shardsmith {

using namespace workload;
using cost::dimensionOf;

namespace {

int64_t saturatingMultiply(int64_t a, int64_t b) {
  return checkedMultiply(a, b).value_or(std::numeric_limits<int64_t>::max());
}

} // namespace

BlockShapes::BlockShapes(const Block &block, const UnitSetting &setting)
    : BlockShapes(std::make_shared<BlockStructure>(block), setting) {}

BlockShapes::BlockShapes(std::shared_ptr<const BlockStructure> structure,
                         const UnitSetting &setting)
    : shared(std::move(structure)), block(shared->block),
      microBatch(setting.microBatch), tensorRanks(setting.tensor),
      contextRanks(setting.context), expertRanks(setting.expert),
      sequenceParallel(setting.sequenceParallel),
      splitsFeatures(setting.splitsFeatures) {
  sizeBegins.reserve(shared->tensors.size() + 1);
  wholeElements.reserve(shared->tensors.size());
  splitDims.reserve(shared->tensors.size());
  for (const BlockStructure::TensorFacts &tensor : shared->tensors) {
    sizeBegins.push_back(sizes.size());
    int64_t elements = 1;
    for (const BlockStructure::Dimension &dim : tensor.dims) {
      sizes.push_back(localSize(dim));
      elements = saturatingMultiply(elements, sizes.back());
    }
    wholeElements.push_back(elements);
    uint32_t dims = 0;
    for (const BlockStructure::Leader &leader : tensor.leaders) {
      bool keepsFeatures = tensor.isAtStream && !splitsFeatures &&
                           leader.factor.role != FactorRole::Sequence;
      dims |= uint32_t(!keepsFeatures && maySplit(leader.factor)) << leader.dim;
    }
    splitDims.push_back(dims);
  }
  sizeBegins.push_back(sizes.size());
}

int64_t BlockShapes::localSize(const BlockStructure::Dimension &dim) const {
  int64_t size = dim.size;
  for (FactorRole role : dim.roles)
    size = role == FactorRole::Batch
               ? saturatingMultiply(size, microBatch)
               : ceilDivide(size, role == FactorRole::Sequence ? contextRanks
                                                               : expertRanks);
  return size;
}

bool BlockShapes::maySplit(const Factor &factor) const {
  if (factor.role == FactorRole::Batch || factor.role == FactorRole::Expert)
    return false;
  if (factor.role == FactorRole::Sequence && !sequenceParallel)
    return false;
  return localSize(factor) >= tensorRanks;
}

std::vector<OpSplit> BlockShapes::splits(OpIndex index) const {
  std::vector<OpSplit> all(1);
  // Without sequence parallelism, ops between products split nothing.
  if (tensorRanks == 1 || (!sequenceParallel && shared->makesStream[index]))
    return all;
  const auto &splittable =
      splitsFeatures ? shared->splittable : shared->keepingFeatures;
  for (FactorIndex factor : splittable[index])
    if (maySplit(block.ops[index].factors[factor]))
      all.push_back({factor});
  return all;
}

std::vector<TensorLayout> BlockShapes::layouts(TensorIndex tensor) const {
  std::vector<TensorLayout> all = {TensorLayout::whole()};
  if (tensorRanks == 1 ||
      block.tensors[tensor].role != TensorRole::Activation ||
      (factsOf(tensor).isStream && !sequenceParallel))
    return all;
  for (unsigned dim = 0; dim < maximalSplitDims; ++dim)
    if (splitDims[tensor] >> dim & 1)
      all.push_back(TensorLayout::split(dim));
  std::ranges::sort(all);
  return all;
}

std::vector<uint32_t> BlockShapes::splitPattern() const {
  if (tensorRanks == 1)
    return {};
  std::vector<uint32_t> pattern = {sequenceParallel, splitsFeatures};
  for (const Op &op : block.ops) {
    // Ops with more factors take several numbers.
    constexpr size_t bits = 32;
    for (size_t begin = 0; begin < op.factors.size(); begin += bits) {
      uint32_t &splittable = pattern.emplace_back();
      size_t end = std::min(op.factors.size(), begin + bits);
      for (size_t factor = begin; factor < end; ++factor)
        splittable |= uint32_t(maySplit(op.factors[factor]))
                      << (factor - begin);
    }
  }
  pattern.insert(pattern.end(), splitDims.begin(), splitDims.end());
  for (TensorIndex parameter : block.parameters)
    if (!factsOf(parameter).keptBy.empty())
      pattern.push_back(wholeDims(parameter));
  return pattern;
}

uint32_t BlockShapes::wholeDims(TensorIndex parameter) const {
  const std::vector<int64_t> &keptBy = factsOf(parameter).keptBy;
  uint32_t dims = 0;
  for (size_t dim = 0; dim < keptBy.size() && dim < maximalSplitDims; ++dim)
    dims |= uint32_t(keptBy[dim] % tensorRanks != 0) << dim;
  return dims;
}

TensorLayout BlockShapes::parameterLayout(ReadingSet readings) {
  uint32_t dims = readings.splitDims();
  if (readings.readsWhole() || std::popcount(dims) != 1)
    return TensorLayout::whole();
  return TensorLayout::split(unsigned(std::countr_zero(dims)));
}

TensorLayout BlockShapes::parameterLayout(TensorIndex parameter,
                                          ReadingSet readings) const {
  TensorLayout layout = parameterLayout(readings);
  bool isSplit = layout.kind == TensorLayout::Kind::Split;
  return isSplit && wholeDims(parameter) >> layout.dim & 1
             ? TensorLayout::whole()
             : layout;
}

Reading BlockShapes::reading(OpIndex index, OpSplit split,
                             unsigned operand) const {
  const TensorUse &use = block.ops[index].operands[operand];
  if (!split.factor)
    return {};
  if (std::optional<unsigned> dim = dimensionOf(use, *split.factor))
    return {TensorLayout::split(*dim), false};
  return {TensorLayout::whole(),
          needsGradient(use.tensor) && block.ops[index].hasBackward};
}

TensorLayout BlockShapes::resultLayout(OpIndex index, OpSplit split,
                                       unsigned result) const {
  const Op &op = block.ops[index];
  if (!split.factor)
    return TensorLayout::whole();
  if (auto dim = dimensionOf(op.results[result], *split.factor))
    return TensorLayout::split(*dim);
  if (op.factors[*split.factor].kind == FactorKind::Reduction)
    return TensorLayout::partial();
  return TensorLayout::whole();
}

int64_t BlockShapes::localSize(const Factor &factor) const {
  switch (factor.role) {
  case FactorRole::Batch:
    return saturatingMultiply(factor.size, microBatch);
  case FactorRole::Sequence:
    return ceilDivide(factor.size, contextRanks);
  case FactorRole::Expert:
    return ceilDivide(factor.size, expertRanks);
  case FactorRole::Other:
    return factor.size;
  }
  return factor.size;
}

int64_t BlockShapes::localSize(const Op &op, FactorIndex factor,
                               OpSplit split) const {
  int64_t size = localSize(op.factors[factor]);
  return split.factor == factor ? ceilDivide(size, tensorRanks) : size;
}

int64_t BlockShapes::elements(TensorIndex tensor, TensorLayout layout) const {
  int64_t whole = wholeElements[tensor];
  size_t begin = sizeBegins[tensor], end = sizeBegins[tensor + 1];
  size_t split = begin + layout.dim;
  if (layout.kind != TensorLayout::Kind::Split || split >= end)
    return whole;
  int64_t part = ceilDivide(sizes[split], tensorRanks);
  if (whole < std::numeric_limits<int64_t>::max())
    return whole / sizes[split] * part;
  int64_t product = part;
  for (size_t i = begin; i < end; ++i)
    if (i != split)
      product = saturatingMultiply(product, sizes[i]);
  return product;
}

Bytes BlockShapes::bytes(TensorIndex tensor, TensorLayout layout) const {
  int64_t bits = bitsOf(block.tensors[tensor].type);
  Bytes total(elements(tensor, layout));
  if (bits >= 8)
    return total * (bits / 8);
  return Bytes(ceilDivide(total.count(), 8 / bits));
}

} // namespace shardsmith
