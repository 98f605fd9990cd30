// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/BlockShapes.h"

#include <algorithm>
#include <bit>

namespace shardsmith {

using namespace workload;

namespace {

int64_t saturatingMultiply(int64_t a, int64_t b) {
  return checkedMultiply(a, b).value_or(std::numeric_limits<int64_t>::max());
}

/// The dimension of `use` that has the factor.
std::optional<unsigned> dimensionOf(const TensorUse &use, FactorIndex factor) {
  for (unsigned dim = 0; dim < use.dims.size(); ++dim)
    if (std::ranges::count(use.dims[dim], factor))
      return dim;
  return std::nullopt;
}

/// The outermost factor of a dimension that an axis could split: the batch is
/// cut into micro-batches, and a single element cannot be cut.
std::optional<FactorIndex> leadingFactor(const Op &op,
                                         const std::vector<FactorIndex> &dim) {
  for (FactorIndex factor : dim)
    if (op.factors[factor].role != FactorRole::Batch &&
        op.factors[factor].size > 1)
      return factor;
  return std::nullopt;
}

bool leadsEverywhere(const Op &op, FactorIndex factor) {
  auto leads = [&](const TensorUse &use) {
    std::optional<unsigned> dim = dimensionOf(use, factor);
    return !dim || (*dim < maximalSplitDims &&
                    leadingFactor(op, use.dims[*dim]) == factor);
  };
  return std::ranges::all_of(op.operands, leads) &&
         std::ranges::all_of(op.results, leads);
}

/// What the shards of a split factor compute can be put together again.
bool kindAllowsSplit(const Op &op, FactorIndex factor) {
  switch (op.factors[factor].kind) {
  case FactorKind::PassThrough:
    return !op.attention || factor != op.attention->keys;
  case FactorKind::Reduction:
    return op.kind != OpKind::Attention;
  case FactorKind::RowStatistic:
    return op.kind == OpKind::Fused;
  case FactorKind::Whole:
    return false;
  }
  return false;
}

/// Elements of all factors of the op that satisfy the predicate, as a double.
template <typename Predicate> double product(const Op &op, Predicate includes) {
  double size = 1;
  for (FactorIndex factor = 0; factor < op.factors.size(); ++factor)
    if (includes(factor))
      size *= double(op.factors[factor].size);
  return size;
}

/// Splitting the positions of a product with weights leaves the weights whole
/// on every rank: that is what the context axis is for. Products that narrow
/// their rows a lot (routers) have small weights and stay where the rows are.
bool isForContextAxis(const Block &block, const Op &op, FactorIndex factor) {
  constexpr double narrowing = 16;
  if (op.kind != OpKind::Matmul ||
      op.factors[factor].role != FactorRole::Sequence)
    return false;
  const TensorUse &rhs = op.operands[1];
  if (block.tensors[rhs.tensor].role != TensorRole::Parameter)
    return false;
  auto isInner = [&](FactorIndex f) {
    return op.factors[f].kind == FactorKind::Reduction;
  };
  auto isOuter = [&](FactorIndex f) {
    return !isInner(f) && dimensionOf(rhs, f);
  };
  return product(op, isOuter) * narrowing > product(op, isInner);
}

bool isDifferentiable(ElementType type) {
  switch (type) {
  case ElementType::I64:
  case ElementType::I32:
  case ElementType::I8:
  case ElementType::Bool:
    return false;
  default:
    return true;
  }
}

} // namespace

BlockShapes::BlockShapes(const Block &block, const UnitSetting &setting)
    : block(block), setting(setting), facts(block.tensors.size()) {
  for (TensorIndex tensor : block.inputs)
    facts[tensor].isInput = true;
  for (TensorIndex tensor : block.outputs)
    facts[tensor].isOutput = true;
  for (const Op &op : block.ops) {
    for (const TensorUse &use : op.operands) {
      recordUse(op, use);
      ++facts[use.tensor].readers;
    }
    for (const TensorUse &use : op.results)
      recordUse(op, use);
  }
  for (TensorIndex i = 0; i < facts.size(); ++i) {
    TensorFacts &fact = facts[i];
    const Tensor &tensor = block.tensors[i];
    if (!fact.sizes.empty() || tensor.shape.empty())
      continue;
    // No op says what its dimensions mean.
    fact.sizes = tensor.shape;
    fact.sizes[0] = saturatingMultiply(fact.sizes[0], setting.microBatch);
    for (unsigned dim = 1; dim < tensor.shape.size(); ++dim)
      if (tensor.shape[dim] >= setting.tensor && dim < maximalSplitDims)
        fact.splitDims.push_back(dim);
  }
  findGradients();
  findStream();
}

/// The first use of a tensor tells what its dimensions count.
void BlockShapes::recordUse(const Op &op, const TensorUse &use) {
  TensorFacts &fact = facts[use.tensor];
  const Tensor &tensor = block.tensors[use.tensor];
  bool isFirst = fact.sizes.empty();
  if (isFirst)
    fact.sizes = tensor.shape;
  for (unsigned dim = 0; dim < use.dims.size(); ++dim) {
    for (FactorIndex index : use.dims[dim]) {
      const Factor &factor = op.factors[index];
      fact.hasExperts |= factor.role == FactorRole::Expert;
      if (!isFirst)
        continue;
      int64_t &size = fact.sizes[dim];
      if (factor.role == FactorRole::Batch)
        size = saturatingMultiply(size, setting.microBatch);
      if (factor.role == FactorRole::Sequence)
        size = ceilDivide(size, setting.context);
      // Tokens of all ranks of the expert axis meet at their experts, so only
      // the parameters become fewer.
      if (factor.role == FactorRole::Expert &&
          tensor.role == TensorRole::Parameter)
        size = ceilDivide(size, setting.expert);
    }
    std::optional<FactorIndex> leading = leadingFactor(op, use.dims[dim]);
    if (leading && dim < maximalSplitDims && maySplit(op.factors[*leading]) &&
        !std::ranges::count(fact.splitDims, dim))
      fact.splitDims.push_back(dim);
  }
}

void BlockShapes::findGradients() {
  for (TensorIndex i = 0; i < facts.size(); ++i)
    facts[i].needsGradient =
        isDifferentiable(block.tensors[i].type) &&
        (facts[i].isInput || block.tensors[i].role == TensorRole::Parameter);
  for (const Op &op : block.ops) {
    bool isTrained =
        op.hasBackward && std::ranges::any_of(op.operands, [&](auto &use) {
          return facts[use.tensor].needsGradient;
        });
    for (const TensorUse &use : op.results)
      facts[use.tensor].needsGradient =
          isTrained && isDifferentiable(block.tensors[use.tensor].type);
  }
}

void BlockShapes::findStream() {
  for (TensorIndex tensor : block.inputs)
    facts[tensor].isStream = true;
  for (const Op &op : block.ops) {
    auto isStream = [&](const TensorUse &use) {
      return facts[use.tensor].isStream;
    };
    if (op.kind == OpKind::Lookup ||
        (op.kind == OpKind::Fused &&
         std::ranges::any_of(op.operands, isStream)))
      for (const TensorUse &use : op.results)
        facts[use.tensor].isStream = true;
  }
}

bool BlockShapes::maySplit(const Factor &factor) const {
  if (factor.role == FactorRole::Batch || factor.role == FactorRole::Expert)
    return false;
  if (factor.role == FactorRole::Sequence && !setting.sequenceParallel)
    return false;
  return localSize(factor) >= setting.tensor;
}

std::vector<OpSplit> BlockShapes::splits(OpIndex index) const {
  const Op &op = block.ops[index];
  std::vector<OpSplit> all(1);
  if (setting.tensor == 1)
    return all;
  // Without sequence parallelism what is between products stays whole.
  bool makesStream = std::ranges::any_of(op.results, [&](const TensorUse &use) {
    return facts[use.tensor].isStream;
  });
  if (!setting.sequenceParallel && op.kind == OpKind::Fused && makesStream)
    return all;
  for (FactorIndex factor = 0; factor < op.factors.size(); ++factor)
    if (maySplit(op.factors[factor]) && kindAllowsSplit(op, factor) &&
        leadsEverywhere(op, factor) && !isForContextAxis(block, op, factor))
      all.push_back({factor});
  return all;
}

std::vector<TensorLayout> BlockShapes::layouts(TensorIndex tensor) const {
  std::vector<TensorLayout> all = {TensorLayout::whole()};
  if (setting.tensor == 1 ||
      block.tensors[tensor].role != TensorRole::Activation ||
      (facts[tensor].isStream && !setting.sequenceParallel))
    return all;
  for (unsigned dim : facts[tensor].splitDims)
    all.push_back(TensorLayout::split(dim));
  std::ranges::sort(all);
  return all;
}

std::vector<uint32_t> BlockShapes::splitPattern() const {
  if (setting.tensor == 1)
    return {};
  std::vector<uint32_t> pattern = {setting.sequenceParallel};
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
  for (const TensorFacts &fact : facts) {
    uint32_t &dims = pattern.emplace_back();
    for (unsigned dim : fact.splitDims)
      dims |= uint32_t(1) << dim;
  }
  return pattern;
}

TensorLayout BlockShapes::parameterLayout(ReadingSet readings) {
  uint32_t dims = readings.splitDims();
  if (readings.readsWhole() || std::popcount(dims) != 1)
    return TensorLayout::whole();
  return TensorLayout::split(unsigned(std::countr_zero(dims)));
}

Reading BlockShapes::reading(OpIndex index, OpSplit split,
                             unsigned operand) const {
  const TensorUse &use = block.ops[index].operands[operand];
  if (!split.factor)
    return {};
  if (std::optional<unsigned> dim = dimensionOf(use, *split.factor))
    return {TensorLayout::split(*dim), false};
  return {TensorLayout::whole(),
          facts[use.tensor].needsGradient && block.ops[index].hasBackward};
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
    return saturatingMultiply(factor.size, setting.microBatch);
  case FactorRole::Sequence:
    return ceilDivide(factor.size, setting.context);
  case FactorRole::Expert:
    return ceilDivide(factor.size, setting.expert);
  case FactorRole::Other:
    return factor.size;
  }
  return factor.size;
}

int64_t BlockShapes::localSize(const Op &op, FactorIndex factor,
                               OpSplit split) const {
  int64_t size = localSize(op.factors[factor]);
  return split.factor == factor ? ceilDivide(size, setting.tensor) : size;
}

int64_t BlockShapes::elements(TensorIndex tensor, TensorLayout layout) const {
  const std::vector<int64_t> &sizes = facts[tensor].sizes;
  int64_t product = 1;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isSplit = layout == TensorLayout::split(dim);
    product = saturatingMultiply(
        product, isSplit ? ceilDivide(sizes[dim], setting.tensor) : sizes[dim]);
  }
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
