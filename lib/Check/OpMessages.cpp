// SPDX-License-Identifier: Apache-2.0

#include "OpWork.h"

#include "Rounding.h"

#include <algorithm>

namespace shardsmith::check {

using namespace workload;

Nanoseconds OpWork::alone(CollectiveOp operation, const GroupPath &path,
                          Bytes bytes) const {
  return setting.collectives.time(operation, path, bytes).time;
}

void OpWork::tensorMessage(Pass pass, CollectiveOp operation, Bytes bytes) {
  const StackProfile &profile = setting.kernels.profile();
  double share = profile.tensorExposure;
  // Some of the group's messages stay in the node, others leave it.
  bool leavesNode = false;
  if (setting.tensor.levels.size() > 1) {
    const std::string &outermost = setting.tensor.levels.back().name;
    leavesNode = outermost == "network" || outermost == "interconnect";
  }
  if (leavesNode)
    share *= profile.crossNodeTensorFactor;
  work.messages.push_back(
      {Degree::Tensor, pass, operation, bytes, 1,
       times(alone(operation, setting.tensor, bytes), share)});
}

void OpWork::contextMessage(Pass pass, CollectiveOp operation, Bytes bytes) {
  work.messages.push_back({Degree::Context, pass, operation, bytes, 1,
                           alone(operation, setting.context, bytes)});
}

/// Attention on a slice of the positions needs the keys of all others.
void OpWork::exchangeKeys(size_t index, Nanoseconds forward,
                          Nanoseconds backward) {
  const Op &op = local.block().ops[index];
  auto part = [&](size_t operand) {
    return local.bytes(op.operands[operand].tensor,
                       local.operandForm(index, operand));
  };
  Bytes keysAndValues = part(1) + part(2);
  if (setting.strategy.contextMethod == ContextMethod::AllToAll) {
    // Whole sequences of some of the heads, and back.
    Bytes there = part(0) + keysAndValues;
    Bytes back = local.bytes(op.results[0].tensor, local.resultForm(index, 0));
    for (Pass pass : {Pass::Forward, Pass::Backward})
      if (pass == Pass::Forward || op.hasBackward)
        for (Bytes bytes : {there, back})
          contextMessage(pass, CollectiveOp::AllToAll, bytes);
    return;
  }
  // Keys and values travel around the ring beside the kernels; backward, their
  // gradients travel with them, in compiled programs as sums in 32 bits.
  int64_t hops = setting.strategy.context - 1;
  Bytes gradients = keysAndValues;
  if (setting.kernels.profile().compiledRings) {
    gradients = Bytes(0);
    for (size_t operand : {1, 2})
      gradients += Bytes(local.elements(op.operands[operand].tensor,
                                        local.operandForm(index, operand))) *
                   4;
  }
  auto ring = [&](Bytes bytes) {
    return alone(CollectiveOp::SendReceive, setting.context, bytes) * hops;
  };
  auto shown = [&](Nanoseconds all, Nanoseconds beside) {
    return std::max(times(all, setting.kernels.profile().contextExposure),
                    all - beside);
  };
  auto message = [&](Pass pass, Bytes bytes, Nanoseconds exposed) {
    work.messages.push_back({Degree::Context, pass, CollectiveOp::SendReceive,
                             bytes, hops, exposed});
  };
  Nanoseconds there = ring(keysAndValues);
  message(Pass::Forward, keysAndValues, shown(there, forward));
  if (!op.hasBackward)
    return;
  // Of both together, so the second shows what the first does not.
  Nanoseconds all = shown(there + ring(gradients), backward);
  Nanoseconds first = std::min(all, there);
  message(Pass::Backward, keysAndValues, first);
  message(Pass::Backward, gradients, all - first);
}

/// Norms and softmax over a sliced dimension add up a few numbers per row.
void OpWork::rowStatistics(size_t index) {
  const Op &op = local.block().ops[index];
  std::optional<FactorIndex> sliced = local.layout().ops[index].factor;
  if (!sliced || op.factors[*sliced].kind != FactorKind::RowStatistic ||
      op.rowStatistics == 0)
    return;
  int64_t numbers = op.rowStatistics;
  for (FactorIndex f = 0; f < op.factors.size(); ++f)
    if (op.factors[f].kind != FactorKind::RowStatistic)
      numbers = multiplied(numbers, local.size(op, f));
  Bytes bytes = Bytes(numbers) * 4;
  tensorMessage(Pass::Forward, CollectiveOp::AllReduce, bytes);
  if (op.hasBackward)
    tensorMessage(Pass::Backward, CollectiveOp::AllReduce, bytes);
}

/// Tokens go to the ranks of their experts, and back: the side with a row per
/// token and expert travels.
void OpWork::exchangeExperts(size_t index) {
  const Op &op = local.block().ops[index];
  Bytes rows;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    TensorIndex tensor = op.operands[i].tensor;
    if (local.block().tensors[tensor].role == TensorRole::Activation)
      rows = std::max(rows, local.bytes(tensor, local.operandForm(index, i)));
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    rows = std::max(
        rows, local.bytes(op.results[i].tensor, local.resultForm(index, i)));
  Nanoseconds exposed =
      times(alone(CollectiveOp::AllToAll, setting.expert, rows),
            setting.kernels.profile().expertExposure);
  for (Pass pass : {Pass::Forward, Pass::Backward})
    if (pass == Pass::Forward || op.hasBackward)
      work.messages.push_back(
          {Degree::Expert, pass, CollectiveOp::AllToAll, rows, 1, exposed});
}

/// Ops that need or sum over all positions while each context rank has some.
void OpWork::gatherPositions(size_t index) {
  const Op &op = local.block().ops[index];
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    const Factor &factor = op.factors[f];
    bool sliced = factor.role == FactorRole::Sequence && factor.size > 1 &&
                  factor.kind != FactorKind::PassThrough;
    if (!sliced)
      continue;
    if (factor.kind == FactorKind::Whole) {
      for (size_t i = 0; i < op.operands.size(); ++i) {
        TensorIndex tensor = op.operands[i].tensor;
        if (!dimensionOf(op.operands[i], f) ||
            local.block().tensors[tensor].role != TensorRole::Activation)
          continue;
        Bytes whole = local.bytes(tensor, local.operandForm(index, i)) *
                      setting.strategy.context;
        contextMessage(Pass::Forward, CollectiveOp::AllGather, whole);
        if (op.hasBackward)
          contextMessage(Pass::Backward, CollectiveOp::ReduceScatter, whole);
      }
      continue;
    }
    // A sum that nobody reads (the loss) stays in terms.
    for (size_t i = 0; i < op.results.size(); ++i) {
      TensorIndex tensor = op.results[i].tensor;
      bool used = local.isRead(tensor) || local.isOutput(tensor);
      if (!dimensionOf(op.results[i], f) && used)
        contextMessage(Pass::Forward, CollectiveOp::AllReduce,
                       local.bytes(tensor, local.resultForm(index, i)));
    }
  }
}

} // namespace shardsmith::check
