// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one op. Formulas: docs/step-time.md.

#include "../Kernels/Padding.h"
#include "../Scale.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

/// Saturating product.
class Product {
public:
  Product &operator*=(int64_t factor) {
    value = checkedMultiply(value, factor)
                .value_or(std::numeric_limits<int64_t>::max());
    return *this;
  }
  operator int64_t() const { return value; }

private:
  int64_t value = 1;
};

} // namespace

int64_t UnitCostModel::paddedShard(const Op &op, FactorIndex factor,
                                   OpSplit split) const {
  int64_t size = blockShapes.localSize(op, factor, split);
  bool isPadded = split.factor == factor && size >= cost::paddedFrom &&
                  op.factors[factor].size % cost::likedMultiple == 0;
  return isPadded ? ceilDivide(size, cost::likedMultiple) * cost::likedMultiple
                  : size;
}

Bytes UnitCostModel::operandBytes(OpIndex op, OpSplit split,
                                  unsigned operand) const {
  return blockShapes.bytes(priced.ops[op].operands[operand].tensor,
                           blockShapes.reading(op, split, operand).layout);
}

Bytes UnitCostModel::resultBytes(OpIndex op, OpSplit split,
                                 unsigned result) const {
  return blockShapes.bytes(priced.ops[op].results[result].tensor,
                           blockShapes.resultLayout(op, split, result));
}

UnitCosts UnitCostModel::priceOp(OpIndex index, OpSplit split) const {
  const Op &op = priced.ops[index];
  UnitCosts costs;
  size_t begin = listedCount();
  priceKernels(index, split, costs);
  if (setting.expert > 1 && op.exchange)
    priceExpertExchange(index, split, costs);
  if (setting.context > 1 && !op.attention)
    priceContextSums(index, split, costs);
  Nanoseconds again = costs.forward + costs.forwardCommunication.sum();
  auto repeat = [&](Recompute choice) {
    costs.recompute[size_t(choice)] = again;
    if (listed)
      markRepeated(begin, choice);
  };
  if (recomputed.runs(index))
    repeat(Recompute::Full);
  TensorIndex result = op.results[0].tensor;
  if (selective && selective->runs(index) &&
      !keepsSum(result, blockShapes.resultLayout(index, split, 0)))
    repeat(Recompute::Selective);

  Bytes workingSet;
  auto add = [&](const TensorUse &use, Bytes bytes) {
    const Tensor &tensor = priced.tensors[use.tensor];
    bool isNeverThere =
        tensor.insideAttention && kernels.profile().fusedAttention;
    if (tensor.role == TensorRole::Activation && !isNeverThere)
      workingSet += bytes;
  };
  for (unsigned i = 0; i < op.operands.size(); ++i)
    add(op.operands[i], operandBytes(index, split, i));
  for (unsigned i = 0; i < op.results.size(); ++i)
    add(op.results[i], resultBytes(index, split, i));
  // The backward pass has the gradients beside the values.
  costs.transient = op.hasBackward ? workingSet * 2 : workingSet;
  costs.transient = std::max(costs.transient, lossBytes(index, split));
  return costs;
}

/// The memory that an op needs beside rows of which it leaves nothing, as cross
/// entropy does of logits.
Bytes UnitCostModel::lossBytes(OpIndex index, OpSplit split) const {
  const Op &op = priced.ops[index];
  Bytes most;
  bool isSplit = false;
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    auto hasRows = [f](const TensorUse &use) { return use.uses(f); };
    if (op.factors[f].kind != FactorKind::RowStatistic ||
        std::ranges::any_of(op.results, hasRows))
      continue;
    isSplit |= split.factor == f;
    for (unsigned i = 0; i < op.operands.size(); ++i)
      if (hasRows(op.operands[i]))
        most =
            std::max(most, Bytes(blockShapes.elements(
                               op.operands[i].tensor,
                               blockShapes.reading(index, split, i).layout)));
  }
  const StackProfile &profile = kernels.profile();
  return scaled(most, isSplit ? profile.splitLossBytesPerLogit
                              : profile.lossBytesPerLogit);
}

void UnitCostModel::priceKernels(OpIndex index, OpSplit split,
                                 UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  if (op.product)
    return priceMatmul(index, split, costs);
  if (op.attention)
    return priceAttention(index, split, costs);
  priceMemoryTraffic(index, split, costs);
}

// C(m,n) = sum over k of A(m,k) B(k,n) has the derivatives
//   dA(m,k) = sum over n of dC(m,n) B(k,n)
//   dB(k,n) = sum over m of A(m,k) dC(m,n)
void UnitCostModel::priceMatmul(OpIndex index, OpSplit split,
                                UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  const TensorUse &lhs = op.operands[0], &rhs = op.operands[1];
  bool isGrouped = op.isProductPerExpert();
  using ProductSize = BlockStructure::ProductSize;
  Product batch, m, n, k;
  int64_t experts = 1;
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    BlockStructure::ProductFactor factor =
        shared->structure->products[index][f];
    int64_t size = paddedShard(op, f, split);
    if (isGrouped && op.factors[f].role == FactorRole::Expert) {
      // Ranks without an expert are of no use.
      if (setting.expert > op.factors[f].size) {
        costs.forward = Nanoseconds::saturated();
        return;
      }
      experts = size;
      // Rows that are laid out per expert: as many per rank as without the
      // expert axis.
      if (factor.isInLhs)
        m *= op.factors[f].size;
      continue;
    }
    switch (factor.size) {
    case ProductSize::Batch:
      batch *= size;
      break;
    case ProductSize::Rows:
      m *= size;
      break;
    case ProductSize::Columns:
      n *= size;
      break;
    case ProductSize::Depth:
      k *= size;
      break;
    }
  }

  auto time = [&](int64_t rows, int64_t columns, int64_t depth) {
    if (isGrouped)
      return scaled(kernels.groupedMatmul(experts, rows, columns, depth,
                                          shared->products),
                    kernels.profile().expertImbalance);
    return kernels.matmul(batch, rows, columns, depth, shared->products);
  };
  costs.forward += time(m, n, k);
  if (!op.hasBackward)
    return;
  auto addGradient = [&](const TensorUse &operand, Nanoseconds gradient) {
    if (!blockShapes.needsGradient(operand.tensor))
      return;
    bool isWeight =
        priced.tensors[operand.tensor].role == TensorRole::Parameter;
    (isWeight ? costs.backwardWeight : costs.backwardInput) += gradient;
  };
  addGradient(lhs, time(m, k, n));
  addGradient(rhs, isGrouped ? time(m, n, k) : time(k, n, m));
}

/// Whether ranks of a compiled ring have as many positions from the begin of a
/// sequence as from its end.
bool UnitCostModel::dealsPositions(int64_t positions) const {
  return workload.positionObstacle.empty() &&
         positions % (2 * setting.context) == 0;
}

void UnitCostModel::priceAttention(OpIndex index, OpSplit split,
                                   UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  const AttentionParts &parts = *op.attention;
  KernelTimes::AttentionSize size;
  for (FactorIndex f = 0; f < op.factors.size(); ++f)
    if (op.factors[f].role == FactorRole::Batch)
      size.sequences *= blockShapes.localSize(op, f, split);
  size.keyValueHeads = blockShapes.localSize(op, parts.keyValueHeads, split);
  size.queryHeads = size.keyValueHeads;
  if (parts.group)
    size.queryHeads *= blockShapes.localSize(op, *parts.group, split);
  size.queries = blockShapes.localSize(op, parts.queries, split);
  size.keys = op.factors[parts.keys].size;
  size.headSize = blockShapes.localSize(op, parts.headSize, split);
  size.valueSize = blockShapes.localSize(op, parts.valueSize, split);
  if (parts.causal) {
    // Where the tensor axis splits the queries, its last rank sees most keys.
    // The context axis deals positions out evenly.
    bool isUneven = split.factor == parts.queries;
    size.density = isUneven ? 1 - 0.5 / double(setting.tensor) : 0.5;
  }

  bool exchangesHeads =
      setting.context > 1 && setting.contextMethod == ContextMethod::AllToAll;
  if (exchangesHeads) {
    if (size.keyValueHeads % setting.context != 0) {
      costs.forward = Nanoseconds::saturated();
      return;
    }
    size.keyValueHeads /= setting.context;
    size.queryHeads /= setting.context;
    size.queries *= setting.context;
  }
  // Keys come around the ring a rank's share at a time.
  int64_t steps = exchangesHeads ? 1 : setting.context;
  size.keys = ceilDivide(size.keys, steps);

  // Products of types below 16 bits leave attention in the operands' type.
  ElementType type = bitsOf(workload.computeType) < 16
                         ? priced.tensors[op.operands[0].tensor].type
                         : workload.computeType;
  Nanoseconds forward = kernels.attentionForward(size, type) * steps;
  Nanoseconds backward = op.hasBackward
                             ? kernels.attentionBackward(size, type) * steps
                             : Nanoseconds(0);
  if (parts.causal && steps > 1 && kernels.profile().compiledRings) {
    // Steps of a compiled ring leave out what the mask hides. In order, the
    // rank with the last positions sees its own keys up to each query, and all
    // keys of others; dealt out, half of every rank's.
    bool isBalanced = dealsPositions(op.factors[parts.queries].size);
    KernelTimes::AttentionSize whole = size;
    whole.density = 1;
    auto ring = [&](auto time) {
      Nanoseconds all = (kernels.*time)(whole, type);
      Nanoseconds half = kernels.profile().fusedAttention
                             ? (kernels.*time)(size, type)
                             : scaled(all, 0.5);
      return half + (isBalanced ? half : all) * (steps - 1);
    };
    forward = ring(&KernelTimes::attentionForward);
    if (op.hasBackward)
      backward = ring(&KernelTimes::attentionBackward);
  }
  if (steps > 1) {
    // The time to add the results of each step of the ring to those of the
    // steps before it.
    auto addedUp = [&](Bytes made) {
      Bytes moved = scaled(made * 3, kernels.profile().elementwiseTraffic);
      return kernels.memoryBound(moved) * (steps - 1);
    };
    forward += addedUp(resultBytes(index, split, 0));
    Bytes gradients;
    for (unsigned i = 0; i < op.operands.size(); ++i)
      gradients += operandBytes(index, split, i);
    if (op.hasBackward)
      backward += addedUp(gradients);
  }
  costs.forward += forward;
  costs.backwardInput += backward;

  // Fused kernels compute scores again in any case.
  if (!kernels.profile().fusedAttention && !selective)
    costs.recompute[size_t(Recompute::Selective)] += forward;
  if (setting.context > 1)
    priceAttentionExchange(index, split, forward, backward, costs);
}

Bytes UnitCostModel::movedBytes(OpIndex index, OpSplit split) const {
  const Op &op = priced.ops[index];
  Bytes moved;
  for (unsigned i = 0; i < op.results.size(); ++i)
    moved += resultBytes(index, split, i);
  // Rows are read and written; the rest of the table is not touched.
  if (op.lookup)
    return moved * 2;
  for (unsigned i = 0; i < op.operands.size(); ++i)
    if (priced.tensors[op.operands[i].tensor].role != TensorRole::Constant)
      moved += operandBytes(index, split, i);
  return moved;
}

void UnitCostModel::priceMemoryTraffic(OpIndex index, OpSplit split,
                                       UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  Bytes moved = movedBytes(index, split);
  const StackProfile &profile = kernels.profile();
  double traffic = profile.elementwiseTraffic;
  if (bitsOf(shared->productType) < 16)
    traffic *= profile.lowPrecisionTraffic;
  moved = scaled(moved, traffic);
  costs.forward += kernels.memoryBound(moved);
  if (op.hasBackward &&
      std::ranges::any_of(op.results, [&](const TensorUse &use) {
        return blockShapes.needsGradient(use.tensor);
      }))
    costs.backwardInput += kernels.memoryBound(moved * 2);

  if (split.factor &&
      op.factors[*split.factor].kind == FactorKind::RowStatistic)
    priceRowStatistics(index, split, costs);
}

} // namespace shardsmith
