// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one op and what it exchanges along the context and expert axes.
// Formulas: docs/step-time.md.

#include "Scale.h"
#include "shardsmith/Cost/UnitCosts.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

bool uses(const TensorUse &use, FactorIndex factor) {
  return std::ranges::any_of(
      use.dims, [&](auto &dim) { return std::ranges::count(dim, factor) > 0; });
}

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

/// An exchange of `communication` beside kernels of `compute`: `share` of it
/// shows in any case, and what is longer than the kernels.
Nanoseconds exposed(Nanoseconds communication, Nanoseconds compute,
                    double share) {
  return std::max(scaled(communication, share), communication - compute);
}

/// Part of `bytes` that leaves a member of a group of `members`.
Bytes leaving(Bytes bytes, int64_t members) {
  return scaled(bytes, double(members - 1) / double(members));
}

} // namespace

UnitCosts UnitCostModel::priceOp(OpIndex index, OpSplit split) const {
  const Op &op = priced.ops[index];
  UnitCosts costs;
  priceKernels(op, split, costs);
  if (setting.expert > 1 &&
      (op.kind == OpKind::Dispatch || op.kind == OpKind::Combine))
    priceExchange(op, split, costs);
  if (setting.context > 1 && op.kind != OpKind::Attention)
    priceContextSums(op, split, costs);

  Bytes workingSet;
  auto add = [&](const TensorUse &use, TensorLayout layout) {
    if (priced.tensors[use.tensor].role == TensorRole::Activation)
      workingSet += blockShapes.bytes(use.tensor, layout);
  };
  for (unsigned i = 0; i < op.operands.size(); ++i)
    add(op.operands[i], blockShapes.reading(index, split, i).layout);
  for (unsigned i = 0; i < op.results.size(); ++i)
    add(op.results[i], blockShapes.resultLayout(index, split, i));
  // The backward pass has the gradients beside the values.
  costs.transient = op.hasBackward ? workingSet * 2 : workingSet;
  return costs;
}

void UnitCostModel::priceKernels(const Op &op, OpSplit split,
                                 UnitCosts &costs) const {
  switch (op.kind) {
  case OpKind::Matmul:
  case OpKind::GroupedMatmul:
    return priceMatmul(op, split, costs);
  case OpKind::Attention:
    return priceAttention(op, split, costs);
  case OpKind::Dispatch:
    costs.forward +=
        Nanoseconds(int64_t(kernels.profile().expertLayerMicroseconds * 1e3));
    return priceMemoryTraffic(op, split, costs);
  case OpKind::Lookup:
  case OpKind::Combine:
  case OpKind::Fused:
    return priceMemoryTraffic(op, split, costs);
  }
}

// C(m,n) = sum over k of A(m,k) B(k,n) has the derivatives
//   dA(m,k) = sum over n of dC(m,n) B(k,n)
//   dB(k,n) = sum over m of A(m,k) dC(m,n)
void UnitCostModel::priceMatmul(const Op &op, OpSplit split,
                                UnitCosts &costs) const {
  const TensorUse &lhs = op.operands[0], &rhs = op.operands[1];
  bool isGrouped = op.kind == OpKind::GroupedMatmul;
  Product batch, m, n, k;
  int64_t experts = 1;
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    bool inLhs = uses(lhs, f), inRhs = uses(rhs, f);
    bool inResult = uses(op.results[0], f);
    int64_t size = blockShapes.localSize(op, f, split);
    if (isGrouped && op.factors[f].role == FactorRole::Expert) {
      experts = size;
      // Rows that are laid out per expert: as many per rank as without the
      // expert axis.
      if (inLhs)
        m *= op.factors[f].size;
      continue;
    }
    if (!inResult)
      k *= size;
    else if (inLhs && inRhs)
      batch *= size;
    else if (inLhs)
      m *= size;
    else
      n *= size;
  }

  auto time = [&](int64_t rows, int64_t columns, int64_t depth) {
    if (isGrouped)
      return scaled(
          kernels.groupedMatmul(experts, rows, columns, depth, productType),
          kernels.profile().expertImbalance);
    return kernels.matmul(batch, rows, columns, depth, productType);
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

void UnitCostModel::priceAttention(const Op &op, OpSplit split,
                                   UnitCosts &costs) const {
  const AttentionParts &parts = *op.attention;
  const TensorUse &q = op.operands[0], &k = op.operands[1], &v = op.operands[2];
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

  // Products of types below 16 bits leave attention in the operands' type.
  ElementType type = bitsOf(workload.computeType) < 16
                         ? priced.tensors[q.tensor].type
                         : workload.computeType;
  Nanoseconds forward = kernels.attentionForward(size, type);
  Nanoseconds backward =
      op.hasBackward ? kernels.attentionBackward(size, type) : Nanoseconds(0);
  costs.forward += forward;
  costs.backwardInput += backward;

  auto part = [&](const TensorUse &use) {
    std::optional<unsigned> dim;
    for (unsigned d = 0; d < use.dims.size(); ++d)
      if (split.factor && std::ranges::count(use.dims[d], *split.factor))
        dim = d;
    return blockShapes.bytes(use.tensor, dim ? TensorLayout::split(*dim)
                                             : TensorLayout::whole());
  };
  if (!kernels.profile().fusedAttention) {
    // Separate kernels keep the probabilities, the mask that drops some of
    // them and what is left (arXiv:2205.05198, section 4.1).
    Bytes scores =
        Bytes(size.sequences) * size.queryHeads * size.queries * size.keys;
    costs.saved[size_t(Recompute::None)] +=
        scores * (2 * ceilDivide(bitsOf(priced.tensors[q.tensor].type), 8) + 1);
    costs.recompute[size_t(Recompute::Selective)] += forward;
  }
  if (setting.context == 1)
    return;

  if (exchangesHeads) {
    Nanoseconds there = collective(CollectiveOp::AllToAll, setting.contextPath,
                                   part(q) + part(k) + part(v));
    Nanoseconds back = collective(CollectiveOp::AllToAll, setting.contextPath,
                                  part(op.results[0]));
    costs.forwardCommunication.context += there + back;
    if (op.hasBackward)
      costs.backwardCommunication.context += there + back;
    Bytes all = part(q) + part(k) + part(v) + part(op.results[0]);
    costs.contextTraffic +=
        leaving(all, setting.context) * (op.hasBackward ? 2 : 1);
    return;
  }
  // Keys and values go once around; on the way back their gradients, too.
  Bytes travelling = part(k) + part(v);
  Nanoseconds ring =
      collective(CollectiveOp::SendReceive, setting.contextPath, travelling) *
      (setting.context - 1);
  double share = kernels.profile().contextExposure;
  costs.forwardCommunication.context += exposed(ring, forward, share);
  costs.contextTraffic += travelling * (setting.context - 1);
  if (!op.hasBackward)
    return;
  costs.backwardCommunication.context += exposed(ring * 2, backward, share);
  costs.contextTraffic += travelling * (setting.context - 1) * 2;
}

void UnitCostModel::priceMemoryTraffic(const Op &op, OpSplit split,
                                       UnitCosts &costs) const {
  OpIndex index = OpIndex(&op - priced.ops.data());
  Bytes moved, results;
  for (unsigned i = 0; i < op.results.size(); ++i)
    results += blockShapes.bytes(op.results[i].tensor,
                                 blockShapes.resultLayout(index, split, i));
  if (op.kind == OpKind::Lookup) {
    // Rows are read and written; the rest of the table is not touched.
    moved = results * 2;
  } else {
    moved = results;
    for (unsigned i = 0; i < op.operands.size(); ++i)
      if (priced.tensors[op.operands[i].tensor].role != TensorRole::Constant)
        moved += blockShapes.bytes(op.operands[i].tensor,
                                   blockShapes.reading(index, split, i).layout);
  }
  double traffic = kernels.profile().elementwiseTraffic;
  if (bitsOf(productType) < 16)
    traffic *= kernels.profile().lowPrecisionTraffic;
  moved = scaled(moved, traffic);
  costs.forward += kernels.memoryBound(moved);
  if (op.hasBackward &&
      std::ranges::any_of(op.results, [&](const TensorUse &use) {
        return blockShapes.needsGradient(use.tensor);
      }))
    costs.backwardInput += kernels.memoryBound(moved * 2);

  // Row statistics of a split factor are summed over the tensor axis.
  if (!split.factor ||
      op.factors[*split.factor].kind != FactorKind::RowStatistic ||
      op.rowStatistics == 0)
    return;
  Product numbers;
  numbers *= op.rowStatistics;
  for (FactorIndex f = 0; f < op.factors.size(); ++f)
    if (op.factors[f].kind != FactorKind::RowStatistic)
      numbers *= blockShapes.localSize(op, f, split);
  Bytes statistics = Bytes(numbers) * 4;
  Nanoseconds sum = tensorCollective(CollectiveOp::AllReduce, statistics);
  costs.forwardCommunication.tensor += sum;
  if (op.hasBackward)
    costs.backwardCommunication.tensor += sum;
  costs.tensorTraffic += leaving(statistics, setting.tensor) * 4;
}

/// Dispatch and Combine: the side that has a row per token and expert goes
/// through the all-to-all.
void UnitCostModel::priceExchange(const Op &op, OpSplit split,
                                  UnitCosts &costs) const {
  OpIndex index = OpIndex(&op - priced.ops.data());
  Bytes rows;
  for (unsigned i = 0; i < op.operands.size(); ++i)
    if (priced.tensors[op.operands[i].tensor].role == TensorRole::Activation)
      rows = std::max(
          rows, blockShapes.bytes(op.operands[i].tensor,
                                  blockShapes.reading(index, split, i).layout));
  for (unsigned i = 0; i < op.results.size(); ++i)
    rows = std::max(
        rows, blockShapes.bytes(op.results[i].tensor,
                                blockShapes.resultLayout(index, split, i)));
  Nanoseconds time =
      scaled(collective(CollectiveOp::AllToAll, setting.expertPath, rows),
             kernels.profile().expertExposure);
  costs.forwardCommunication.expert += time;
  costs.expertTraffic += leaving(rows, setting.expert);
  if (!op.hasBackward)
    return;
  costs.backwardCommunication.expert += time;
  costs.expertTraffic += leaving(rows, setting.expert);
}

/// Ops that sum over positions, or need all of them, while the context axis
/// has split the sequence.
void UnitCostModel::priceContextSums(const Op &op, OpSplit split,
                                     UnitCosts &costs) const {
  OpIndex index = OpIndex(&op - priced.ops.data());
  auto gather = [&](Bytes whole) {
    Nanoseconds time =
        collective(CollectiveOp::AllGather, setting.contextPath, whole);
    costs.forwardCommunication.context += time;
    costs.contextTraffic += leaving(whole, setting.context);
    if (!op.hasBackward)
      return;
    costs.backwardCommunication.context +=
        collective(CollectiveOp::ReduceScatter, setting.contextPath, whole);
    costs.contextTraffic += leaving(whole, setting.context);
  };
  auto sum = [&](Bytes bytes) {
    costs.forwardCommunication.context +=
        collective(CollectiveOp::AllReduce, setting.contextPath, bytes);
    costs.contextTraffic += leaving(bytes, setting.context) * 2;
  };
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    if (op.factors[f].role != FactorRole::Sequence || op.factors[f].size == 1)
      continue;
    if (op.factors[f].kind == FactorKind::PassThrough)
      continue;
    if (op.factors[f].kind == FactorKind::Whole) {
      for (unsigned i = 0; i < op.operands.size(); ++i) {
        TensorIndex tensor = op.operands[i].tensor;
        if (uses(op.operands[i], f) &&
            priced.tensors[tensor].role == TensorRole::Activation)
          gather(blockShapes.bytes(
                     tensor, blockShapes.reading(index, split, i).layout) *
                 setting.context);
      }
      continue;
    }
    // A sum that nothing in the block reads (the loss) is left as parts.
    for (unsigned i = 0; i < op.results.size(); ++i) {
      TensorIndex tensor = op.results[i].tensor;
      if (!uses(op.results[i], f) &&
          (blockShapes.readerCount(tensor) > 0 || blockShapes.isOutput(tensor)))
        sum(blockShapes.bytes(tensor,
                              blockShapes.resultLayout(index, split, i)));
    }
  }
}

} // namespace shardsmith
