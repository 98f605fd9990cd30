// SPDX-License-Identifier: Apache-2.0

#include "OpWork.h"

#include "Rounding.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::check {

using namespace workload;

std::string OpWork::derive(size_t index) {
  const Op &op = local.block().ops[index];
  std::string problem;
  switch (op.kind) {
  case OpKind::Matmul:
  case OpKind::GroupedMatmul:
    product(index);
    break;
  case OpKind::Attention:
    problem = attention(index);
    break;
  case OpKind::Dispatch:
    kernel(index, Pass::Forward,
           Nanoseconds(static_cast<int64_t>(
               setting.kernels.profile().expertLayerMicroseconds * 1000)));
    memoryTraffic(index);
    break;
  default:
    memoryTraffic(index);
  }
  bool exchanges = op.kind == OpKind::Dispatch || op.kind == OpKind::Combine;
  if (exchanges && setting.strategy.expert > 1)
    exchangeExperts(index);
  if (op.kind != OpKind::Attention && setting.strategy.context > 1)
    gatherPositions(index);
  workingSet(index);
  return problem;
}

void OpWork::kernel(size_t op, Pass pass, Nanoseconds time, bool forWeights) {
  work.kernels.push_back({op, forWeights, pass, time});
}

Nanoseconds OpWork::alone(CollectiveOp operation, const GroupPath &path,
                          Bytes bytes) const {
  return setting.collectives.time(operation, path, bytes).time;
}

void OpWork::tensorMessage(Pass pass, CollectiveOp operation, Bytes bytes) {
  const StackProfile &profile = setting.kernels.profile();
  double share = profile.tensorExposure;
  bool leavesNode = false;
  if (!setting.tensor.levels.empty()) {
    const std::string &outermost = setting.tensor.levels.back().name;
    leavesNode = outermost == "network" || outermost == "interconnect";
  }
  if (leavesNode)
    share *= profile.crossNodeTensorFactor;
  work.messages.push_back(
      {Message::Axis::Tensor, pass, operation, bytes, 1,
       times(alone(operation, setting.tensor, bytes), share)});
}

void OpWork::contextMessage(Pass pass, CollectiveOp operation, Bytes bytes) {
  work.messages.push_back({Message::Axis::Context, pass, operation, bytes, 1,
                           alone(operation, setting.context, bytes)});
}

bool OpWork::hasTrainedResult(const Op &op) const {
  return op.hasBackward && std::any_of(op.results.begin(), op.results.end(),
                                       [&](const TensorUse &use) {
                                         return local.isTrained(use.tensor);
                                       });
}

// The gradient of an operand of a product is a product, too: of the result's
// gradient and the other operand.
//
//     forward   lhs gradient   rhs gradient
//     m·k × k·n   m·n × n·k      k·m × m·n
void OpWork::product(size_t index) {
  const Op &op = local.block().ops[index];
  bool grouped = op.kind == OpKind::GroupedMatmul;
  int64_t batch = 1, m = 1, n = 1, k = 1, experts = 1;
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    bool left = dimensionOf(op.operands[0], f).has_value();
    bool right = dimensionOf(op.operands[1], f).has_value();
    bool out = dimensionOf(op.results[0], f).has_value();
    int64_t size = local.size(op, f);
    if (grouped && op.factors[f].role == FactorRole::Expert) {
      experts = size;
      // The rows of all experts, wherever the experts are.
      if (left)
        m = multiplied(m, op.factors[f].size);
    } else if (!out) {
      k = multiplied(k, size);
    } else if (left && right) {
      batch = multiplied(batch, size);
    } else {
      (left ? m : n) = multiplied(left ? m : n, size);
    }
  }
  auto time = [&](int64_t rows, int64_t columns, int64_t inner) {
    if (!grouped)
      return setting.kernels.matmul(batch, rows, columns, inner, productType);
    return times(setting.kernels.groupedMatmul(experts, rows, columns, inner,
                                               productType),
                 setting.kernels.profile().expertImbalance);
  };
  kernel(index, Pass::Forward, time(m, n, k));
  if (!op.hasBackward)
    return;
  for (size_t operand : {0, 1}) {
    TensorIndex tensor = op.operands[operand].tensor;
    if (!local.isTrained(tensor))
      continue;
    Nanoseconds gradient;
    if (operand == 0)
      gradient = time(m, k, n);
    else
      gradient = grouped ? time(m, n, k) : time(k, n, m);
    kernel(index, Pass::Backward, gradient,
           local.block().tensors[tensor].role == TensorRole::Parameter);
  }
}

std::string OpWork::attention(size_t index) {
  const Op &op = local.block().ops[index];
  const AttentionParts &parts = *op.attention;
  const StackProfile &profile = setting.kernels.profile();
  int64_t ranks = setting.strategy.context;
  bool swapsHeads =
      ranks > 1 && setting.strategy.contextMethod == ContextMethod::AllToAll;

  KernelTimes::AttentionSize size;
  for (FactorIndex f = 0; f < op.factors.size(); ++f)
    if (op.factors[f].role == FactorRole::Batch)
      size.sequences = multiplied(size.sequences, local.size(op, f));
  size.keyValueHeads = local.size(op, parts.keyValueHeads);
  int64_t group = parts.group ? local.size(op, *parts.group) : 1;
  size.queryHeads = multiplied(size.keyValueHeads, group);
  size.queries = local.size(op, parts.queries);
  size.keys = op.factors[parts.keys].size;
  size.headSize = local.size(op, parts.headSize);
  size.valueSize = local.size(op, parts.valueSize);
  // A slice of the queries at the end of the sequence sees nearly all keys;
  // the context axis gives everybody some of the beginning and of the end.
  if (parts.causal) {
    bool sliced = local.layout().ops[index].factor == parts.queries;
    size.density =
        sliced ? 1 - 0.5 / static_cast<double>(setting.strategy.tensor) : 0.5;
  }
  if (swapsHeads) {
    if (size.keyValueHeads % ranks != 0)
      return fmt::format("'{}': {} key/value heads per rank cannot be dealt "
                         "out to {} context ranks",
                         op.name, size.keyValueHeads, ranks);
    size.keyValueHeads /= ranks;
    size.queryHeads /= ranks;
    size.queries *= ranks;
  }

  const Tensor &query = local.block().tensors[op.operands[0].tensor];
  ElementType type = bitsOf(setting.workload.computeType) < 16
                         ? query.type
                         : setting.workload.computeType;
  Nanoseconds forward = setting.kernels.attentionForward(size, type);
  Nanoseconds backward;
  if (op.hasBackward)
    backward = setting.kernels.attentionBackward(size, type);
  kernel(index, Pass::Forward, forward);
  kernel(index, Pass::Backward, backward);

  if (!profile.fusedAttention) {
    // Probabilities before and after dropout, and its mask.
    Bytes scores =
        Bytes(size.sequences) * size.queryHeads * size.queries * size.keys;
    work.saved[static_cast<size_t>(Recompute::None)] +=
        scores * (2 * ceilDivide(bitsOf(query.type), 8) + 1);
    work.again[static_cast<size_t>(Recompute::Selective)] += forward;
  }
  if (ranks == 1)
    return {};

  auto part = [&](size_t operand) {
    return local.bytes(op.operands[operand].tensor,
                       local.operandForm(index, operand));
  };
  if (swapsHeads) {
    Bytes there = part(0) + part(1) + part(2);
    Bytes back = local.bytes(op.results[0].tensor, local.resultForm(index, 0));
    for (Pass pass : {Pass::Forward, Pass::Backward})
      if (pass == Pass::Forward || op.hasBackward)
        for (Bytes bytes : {there, back})
          contextMessage(pass, CollectiveOp::AllToAll, bytes);
    return {};
  }
  // Keys and values travel around the ring beside the kernels; backward, their
  // gradients travel with them.
  Bytes travelling = part(1) + part(2);
  Nanoseconds ring =
      alone(CollectiveOp::SendReceive, setting.context, travelling) *
      (ranks - 1);
  auto around = [&](Pass pass, int64_t turns, Nanoseconds beside) {
    Nanoseconds all = ring * turns;
    Nanoseconds exposed =
        std::max(times(all, profile.contextExposure), all - beside);
    work.messages.push_back({Message::Axis::Context, pass,
                             CollectiveOp::SendReceive, travelling,
                             (ranks - 1) * turns, exposed});
  };
  around(Pass::Forward, 1, forward);
  if (op.hasBackward)
    around(Pass::Backward, 2, backward);
  return {};
}

void OpWork::memoryTraffic(size_t index) {
  const Op &op = local.block().ops[index];
  const StackProfile &profile = setting.kernels.profile();
  Bytes moved;
  for (size_t i = 0; i < op.results.size(); ++i)
    moved += local.bytes(op.results[i].tensor, local.resultForm(index, i));
  if (op.kind == OpKind::Lookup)
    // Of the table only the rows that are asked for.
    moved = moved * 2;
  else
    for (size_t i = 0; i < op.operands.size(); ++i) {
      TensorIndex tensor = op.operands[i].tensor;
      if (local.block().tensors[tensor].role != TensorRole::Constant)
        moved += local.bytes(tensor, local.operandForm(index, i));
    }
  double extra = profile.elementwiseTraffic;
  if (bitsOf(productType) < 16)
    extra *= profile.lowPrecisionTraffic;
  moved = times(moved, extra);
  kernel(index, Pass::Forward, setting.kernels.memoryBound(moved));
  if (hasTrainedResult(op))
    kernel(index, Pass::Backward, setting.kernels.memoryBound(moved * 2));
  rowStatistics(index);
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
      work.messages.push_back({Message::Axis::Expert, pass,
                               CollectiveOp::AllToAll, rows, 1, exposed});
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

/// What an op touches at a time, with gradients beside the values.
void OpWork::workingSet(size_t index) {
  const Op &op = local.block().ops[index];
  Bytes touched;
  auto touch = [&](TensorIndex tensor, Form form) {
    if (local.block().tensors[tensor].role == TensorRole::Activation)
      touched += local.bytes(tensor, form);
  };
  for (size_t i = 0; i < op.operands.size(); ++i)
    touch(op.operands[i].tensor, local.operandForm(index, i));
  for (size_t i = 0; i < op.results.size(); ++i)
    touch(op.results[i].tensor, local.resultForm(index, i));
  work.workingSet =
      std::max(work.workingSet, op.hasBackward ? touched * 2 : touched);
}

} // namespace shardsmith::check
