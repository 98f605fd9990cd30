// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/BlockStructure.h"
#include "../Kernels/Padding.h"
#include "DimensionOf.h"

#include <algorithm>
#include <numeric>

namespace shardsmith {

using namespace workload;
using cost::dimensionOf;

namespace {

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

/// Whether the results of an op can be put together from what shards of the
/// factor compute.
bool kindAllowsSplit(const Op &op, FactorIndex factor) {
  switch (op.factors[factor].kind) {
  case FactorKind::PassThrough:
    return !op.attention || factor != op.attention->keys;
  case FactorKind::Reduction:
    return !op.attention;
  case FactorKind::RowStatistic:
    return op.isFused();
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
  if (!op.isPlainProduct() || op.factors[factor].role != FactorRole::Sequence)
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

BlockStructure::BlockStructure(const Block &block, const BlockSplits &splits)
    : block(block), tensors(block.tensors.size()) {
  for (TensorIndex tensor : block.inputs)
    tensors[tensor].isInput = true;
  for (TensorIndex tensor : block.outputs)
    tensors[tensor].isOutput = true;
  for (const Op &op : block.ops) {
    for (const TensorUse &use : op.operands) {
      recordUse(op, use);
      ++tensors[use.tensor].readers;
    }
    for (const TensorUse &use : op.results)
      recordUse(op, use);
  }
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor)
    addUnused(tensor);
  for (TensorIndex tensor = 0; tensor < splits.size(); ++tensor)
    tensors[tensor].keptBy = splits[tensor];
  findGradients();
  findStream();
  findSplits();
  findProducts();
  findCounting();
}

/// The first use of a tensor tells what its dimensions count.
void BlockStructure::recordUse(const Op &op, const TensorUse &use) {
  TensorFacts &fact = tensors[use.tensor];
  const Tensor &tensor = block.tensors[use.tensor];
  bool isFirst = fact.dims.empty();
  if (isFirst)
    for (int64_t size : tensor.shape)
      fact.dims.push_back({size, {}});
  for (unsigned dim = 0; dim < use.dims.size(); ++dim) {
    for (FactorIndex index : use.dims[dim]) {
      FactorRole role = op.factors[index].role;
      fact.hasExperts |= role == FactorRole::Expert;
      // Tokens of all ranks of the expert axis meet at their experts, so only
      // the parameters become fewer.
      bool isCut =
          role == FactorRole::Batch || role == FactorRole::Sequence ||
          (role == FactorRole::Expert && tensor.role == TensorRole::Parameter);
      if (isFirst && isCut)
        fact.dims[dim].roles.push_back(role);
    }
    std::optional<FactorIndex> leading = leadingFactor(op, use.dims[dim]);
    if (!leading || dim >= maximalSplitDims)
      continue;
    const Factor &factor = op.factors[*leading];
    auto isSame = [&](const Leader &other) {
      return other.dim == dim && other.factor.role == factor.role &&
             other.factor.size == factor.size;
    };
    if (std::ranges::none_of(fact.leaders, isSame))
      fact.leaders.push_back({dim, factor});
  }
}

/// Describes a tensor that no op uses: nobody says what its dimensions mean.
void BlockStructure::addUnused(TensorIndex index) {
  TensorFacts &fact = tensors[index];
  const Tensor &tensor = block.tensors[index];
  if (!fact.dims.empty() || tensor.shape.empty())
    return;
  for (unsigned dim = 0; dim < tensor.shape.size(); ++dim) {
    fact.dims.push_back({tensor.shape[dim], {}});
    Factor factor;
    factor.size = tensor.shape[dim];
    if (dim > 0 && dim < maximalSplitDims)
      fact.leaders.push_back({dim, factor});
  }
  fact.dims[0].roles = {FactorRole::Batch};
}

void BlockStructure::findGradients() {
  for (TensorIndex i = 0; i < tensors.size(); ++i)
    tensors[i].needsGradient =
        isDifferentiable(block.tensors[i].type) &&
        (tensors[i].isInput || block.tensors[i].role == TensorRole::Parameter);
  for (const Op &op : block.ops) {
    bool isTrained =
        op.hasBackward && std::ranges::any_of(op.operands, [&](auto &use) {
          return tensors[use.tensor].needsGradient;
        });
    for (const TensorUse &use : op.results)
      tensors[use.tensor].needsGradient =
          isTrained && isDifferentiable(block.tensors[use.tensor].type);
  }
}

void BlockStructure::findStream() {
  for (TensorIndex tensor : block.inputs)
    tensors[tensor].isStream = true;
  for (const Op &op : block.ops) {
    auto isStream = [&](const TensorUse &use) {
      return tensors[use.tensor].isStream;
    };
    if (op.lookup ||
        (op.isFused() && std::ranges::any_of(op.operands, isStream)))
      for (const TensorUse &use : op.results)
        tensors[use.tensor].isStream = true;
  }
  for (const Op &op : block.ops) {
    makesStream.push_back(op.isFused() &&
                          std::ranges::any_of(op.results, [&](auto &use) {
                            return tensors[use.tensor].isStream;
                          }));
    if (makesStream.back())
      for (const TensorUse &use : op.operands)
        tensors[use.tensor].isAtStream |=
            block.tensors[use.tensor].role == TensorRole::Activation;
  }
  for (TensorFacts &tensor : tensors)
    tensor.isAtStream |= tensor.isStream;
}

void BlockStructure::findSplits() {
  for (const Op &op : block.ops) {
    std::vector<FactorIndex> &factors = splittable.emplace_back();
    for (FactorIndex factor = 0; factor < op.factors.size(); ++factor)
      if (kindAllowsSplit(op, factor) && leadsEverywhere(op, factor) &&
          !isForContextAxis(block, op, factor))
        factors.push_back(factor);
    std::vector<FactorIndex> &keeping = keepingFeatures.emplace_back();
    for (FactorIndex factor : factors) {
      auto isFeature = [&](const TensorUse &use) {
        return tensors[use.tensor].isAtStream &&
               op.factors[factor].role != FactorRole::Sequence &&
               dimensionOf(use, factor);
      };
      if (std::ranges::none_of(op.operands, isFeature) &&
          std::ranges::none_of(op.results, isFeature))
        keeping.push_back(factor);
    }
  }
}

void BlockStructure::findProducts() {
  for (const Op &op : block.ops) {
    std::vector<ProductFactor> &factors = products.emplace_back();
    if (!op.product)
      continue;
    for (FactorIndex factor = 0; factor < op.factors.size(); ++factor) {
      bool inLhs = op.operands[0].uses(factor);
      bool inRhs = op.operands[1].uses(factor);
      ProductSize size = ProductSize::Columns;
      if (!op.results[0].uses(factor))
        size = ProductSize::Depth;
      else if (inLhs)
        size = inRhs ? ProductSize::Batch : ProductSize::Rows;
      factors.push_back({size, inLhs});
    }
  }
}

bool BlockStructure::isCut(TensorIndex tensor, FactorRole role) const {
  return std::ranges::any_of(tensors[tensor].dims, [&](const Dimension &dim) {
    return std::ranges::count(dim.roles, role) > 0;
  });
}

void BlockStructure::findCounting() {
  for (const Op &op : block.ops) {
    std::vector<FactorIndex> batch, positions;
    for (FactorIndex factor = 0; factor < op.factors.size(); ++factor) {
      const Factor &each = op.factors[factor];
      if (each.role == FactorRole::Batch)
        batch.push_back(factor);
      if (each.role == FactorRole::Sequence)
        positions.push_back(factor);
    }
    auto hasBothOrNone = [&](const TensorUse &use) {
      return use.uses(batch[0]) == use.uses(positions[0]) &&
             isCut(use.tensor, FactorRole::Batch) ==
                 isCut(use.tensor, FactorRole::Sequence);
    };
    bool counts = !op.attention && batch.size() == 1 && positions.size() == 1 &&
                  op.factors[positions[0]].kind == FactorKind::PassThrough &&
                  std::ranges::all_of(op.operands, hasBothOrNone) &&
                  std::ranges::all_of(op.results, hasBothOrNone);
    countsPositions.push_back(counts);
    if (counts)
      sequence = std::gcd(sequence, op.factors[positions[0]].size);
  }
}

bool BlockStructure::dealsOut(const UnitDegrees &unit) const {
  std::optional<int64_t> parts = checkedMultiply(unit.context, unit.tensor);
  if (parts && unit.tensor > 1 && sequence / unit.tensor >= cost::paddedFrom)
    parts = checkedMultiply(*parts, cost::likedMultiple);
  return parts && sequence % *parts == 0;
}

} // namespace shardsmith
