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
  if (setting.contextMethod == ContextMethod::AllToAll) {
    Bytes in = operandBytes(index, split, 0) + keysAndValues;
    Bytes out = resultBytes(index, split, 0);
    Nanoseconds time =
        collective(CollectiveOp::AllToAll, setting.paths.context, in) +
        collective(CollectiveOp::AllToAll, setting.paths.context, out);
    costs.forwardCommunication.context += time;
    costs.backwardCommunication.context += hasBackward ? time : Nanoseconds();
    costs.traffic.context +=
        leaving(in + out, setting.context) * (hasBackward ? 2 : 1);
    return;
  }
  // Keys and values go once around; on the way back their gradients, too.
  int64_t steps = setting.context - 1;
  Nanoseconds ring = collective(CollectiveOp::SendReceive,
                                setting.paths.context, keysAndValues) *
                     steps;
  double share = kernels.profile().contextExposure;
  costs.forwardCommunication.context += exposed(ring, forward, share);
  costs.traffic.context += keysAndValues * steps;
  if (!hasBackward)
    return;
  Bytes gradients = keysAndValues;
  if (kernels.profile().compiledRings)
    gradients = inF32(index, split, 1) + inF32(index, split, 2);
  Nanoseconds gradientRing =
      collective(CollectiveOp::SendReceive, setting.paths.context, gradients) *
      steps;
  costs.backwardCommunication.context +=
      exposed(ring + gradientRing, backward, share);
  costs.traffic.context += (keysAndValues + gradients) * steps;
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
  Nanoseconds sum = tensorCollective(CollectiveOp::AllReduce, statistics);
  costs.forwardCommunication.tensor += sum;
  costs.backwardCommunication.tensor += op.hasBackward ? sum : Nanoseconds();
  costs.traffic.tensor +=
      leaving(statistics, setting.tensor) * (op.hasBackward ? 4 : 2);
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
  Nanoseconds time =
      scaled(collective(CollectiveOp::AllToAll, setting.paths.expert, rows),
             kernels.profile().expertExposure);
  costs.forwardCommunication.expert += time;
  costs.traffic.expert += leaving(rows, setting.expert);
  if (!op.hasBackward)
    return;
  costs.backwardCommunication.expert += time;
  costs.traffic.expert += leaving(rows, setting.expert);
}

/// Ops that sum over positions, or need all of them, while the context axis
/// has split the sequence.
void UnitCostModel::priceContextSums(OpIndex index, OpSplit split,
                                     UnitCosts &costs) const {
  const Op &op = priced.ops[index];
  auto gather = [&](Bytes whole) {
    Nanoseconds time =
        collective(CollectiveOp::AllGather, setting.paths.context, whole);
    costs.forwardCommunication.context += time;
    costs.traffic.context += leaving(whole, setting.context);
    if (!op.hasBackward)
      return;
    costs.backwardCommunication.context +=
        collective(CollectiveOp::ReduceScatter, setting.paths.context, whole);
    costs.traffic.context += leaving(whole, setting.context);
  };
  auto sum = [&](Bytes bytes) {
    costs.forwardCommunication.context +=
        collective(CollectiveOp::AllReduce, setting.paths.context, bytes);
    costs.traffic.context += leaving(bytes, setting.context) * 2;
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
