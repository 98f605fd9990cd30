// SPDX-License-Identifier: Apache-2.0
//
// What one op exchanges by itself: attention and sums of positions along the
// context axis, rows along the expert axis, row statistics along the tensor
// axis. Formulas: docs/step-time.md.

#include "../Scale.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

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

/// The bytes of an operand of which sums are sent.
Bytes UnitCostModel::inF32(OpIndex op, OpSplit split, unsigned operand) const {
  constexpr int64_t bytesEach = 4;
  return Bytes(blockShapes.elements(
             priced.ops[op].operands[operand].tensor,
             blockShapes.reading(op, split, operand).layout)) *
         bytesEach;
}

void UnitCostModel::priceAttentionExchange(OpIndex index, OpSplit split,
                                           Nanoseconds forward,
                                           Nanoseconds backward,
                                           UnitCosts &costs) const {
  bool hasBackward = priced.ops[index].hasBackward;
  Bytes keysAndValues =
      operandBytes(index, split, 1) + operandBytes(index, split, 2);
  PricedExchange exchange;
  if (setting.contextMethod == ContextMethod::AllToAll) {
    exchange.op = CollectiveOp::AllToAll;
    for (Bytes bytes : {operandBytes(index, split, 0) + keysAndValues,
                        resultBytes(index, split, 0)}) {
      exchange.bytes = bytes;
      exchange.time = collective(exchange.op, setting.paths.context, bytes);
      exchange.traffic = leaving(bytes, setting.context);
      addBothWays<UnitAxis::Context>(exchange, hasBackward, costs);
    }
    return;
  }
  // Keys and values go once around; on the way back their gradients, too.
  exchange.op = CollectiveOp::SendReceive;
  exchange.rounds = setting.context - 1;
  auto around = [&](Bytes bytes) {
    return collective(exchange.op, setting.paths.context, bytes) *
           exchange.rounds;
  };
  Nanoseconds ring = around(keysAndValues);
  double share = kernels.profile().contextExposure;
  exchange.bytes = keysAndValues;
  exchange.time = exposed(ring, forward, share);
  exchange.traffic = exchange.bytes * exchange.rounds;
  add<UnitAxis::Context>(exchange, false, costs);
  if (!hasBackward)
    return;
  Bytes gradients = keysAndValues;
  if (kernels.profile().compiledRings)
    gradients = inF32(index, split, 1) + inF32(index, split, 2);
  exchange.bytes = keysAndValues + gradients;
  exchange.time = exposed(ring + around(gradients), backward, share);
  exchange.traffic = exchange.bytes * exchange.rounds;
  add<UnitAxis::Context>(exchange, true, costs);
}

/// A few numbers per row, summed forward and again backward.
void UnitCostModel::priceRowStatistics(OpIndex index, OpSplit split,
                                       UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  if (op.rowStatistics == 0)
    return;
  constexpr int64_t bytesEach = 4;
  Bytes statistics = Bytes(bytesEach) * op.rowStatistics;
  for (FactorIndex f = 0; f < op.factors.size(); ++f)
    if (op.factors[f].kind != FactorKind::RowStatistic)
      statistics = statistics * blockShapes.localSize(op, f, split);
  PricedExchange sum;
  sum.bytes = statistics;
  sum.time = tensorCollective(sum.op, statistics);
  sum.traffic = leaving(statistics, setting.tensor) * 2;
  addBothWays<UnitAxis::Tensor>(sum, op.hasBackward, costs);
}

/// Dispatch and Combine: the side that has a row per token and expert goes
/// through the all-to-all.
void UnitCostModel::priceExpertExchange(OpIndex index, OpSplit split,
                                        UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  Bytes rows;
  for (unsigned i = 0; i < op.operands.size(); ++i)
    if (priced.tensors[op.operands[i].tensor].role == TensorRole::Activation)
      rows = std::max(rows, operandBytes(index, split, i));
  for (unsigned i = 0; i < op.results.size(); ++i)
    rows = std::max(rows, resultBytes(index, split, i));
  PricedExchange exchange;
  exchange.op = CollectiveOp::AllToAll;
  exchange.bytes = rows;
  exchange.time = scaled(collective(exchange.op, setting.paths.expert, rows),
                         kernels.profile().expertExposure);
  exchange.traffic = leaving(rows, setting.expert);
  addBothWays<UnitAxis::Expert>(exchange, op.hasBackward, costs);
}

/// Ops that sum over positions, or need all of them, while the context axis
/// has split the sequence.
void UnitCostModel::priceContextSums(OpIndex index, OpSplit split,
                                     UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  auto exchange = [&](CollectiveOp kind, Bytes bytes, int64_t passes,
                      bool isBackward) {
    add<UnitAxis::Context>(
        {.op = kind,
         .bytes = bytes,
         .time = collective(kind, setting.paths.context, bytes),
         .traffic = leaving(bytes, setting.context) * passes},
        isBackward, costs);
  };
  auto gather = [&](Bytes whole) {
    exchange(CollectiveOp::AllGather, whole, 1, false);
    if (op.hasBackward)
      exchange(CollectiveOp::ReduceScatter, whole, 1, true);
  };
  auto sum = [&](Bytes bytes) {
    exchange(CollectiveOp::AllReduce, bytes, 2, false);
  };
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    if (op.factors[f].role != FactorRole::Sequence || op.factors[f].size == 1)
      continue;
    if (op.factors[f].kind == FactorKind::PassThrough)
      continue;
    if (op.factors[f].kind == FactorKind::Whole) {
      for (unsigned i = 0; i < op.operands.size(); ++i) {
        TensorIndex tensor = op.operands[i].tensor;
        if (op.operands[i].uses(f) &&
            priced.tensors[tensor].role == TensorRole::Activation)
          gather(operandBytes(index, split, i) * setting.context);
      }
      continue;
    }
    // A sum that nothing in the block reads (the loss) is left as parts.
    for (unsigned i = 0; i < op.results.size(); ++i) {
      TensorIndex tensor = op.results[i].tensor;
      if (!op.results[i].uses(f) &&
          (blockShapes.readerCount(tensor) > 0 || blockShapes.isOutput(tensor)))
        sum(resultBytes(index, split, i));
    }
  }
}

} // namespace shardsmith
