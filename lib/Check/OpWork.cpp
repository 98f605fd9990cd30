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
  if (op.product)
    product(index);
  else if (op.attention)
    problem = attention(index);
  else
    memoryTraffic(index);
  if (op.exchange && setting.strategy.expert > 1)
    exchangeExperts(index);
  if (!op.attention && setting.strategy.context > 1)
    gatherPositions(index);
  workingSet(index);
  return problem;
}

void OpWork::kernel(size_t op, Pass pass, Nanoseconds time, bool forWeights) {
  work.kernels.push_back({op, forWeights, pass, time});
}

bool OpWork::hasTrainedResult(const Op &op) const {
  return op.hasBackward && std::any_of(op.results.begin(), op.results.end(),
                                       [&](const TensorUse &use) {
                                         return local.isTrained(use.tensor);
                                       });
}

/// Kernels like multiples of 64: large slices of dimensions that are such
/// multiples are filled up to the next one.
int64_t OpWork::padded(size_t index, FactorIndex factor) const {
  const Op &op = local.block().ops[index];
  int64_t size = local.size(op, factor);
  bool fills = local.layout().ops[index].factor == factor && size >= 8192 &&
               op.factors[factor].size % 64 == 0;
  return fills ? ceilDivide(size, 64) * 64 : size;
}

// The gradient of an operand of a product is a product, too: of the result's
// gradient and the other operand.
//
//     forward   lhs gradient   rhs gradient
//     m·k × k·n   m·n × n·k      k·m × m·n
void OpWork::product(size_t index) {
  const Op &op = local.block().ops[index];
  bool grouped = op.product->isPerExpert;
  int64_t batch = 1, m = 1, n = 1, k = 1, experts = 1;
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    bool left = dimensionOf(op.operands[0], f).has_value();
    bool right = dimensionOf(op.operands[1], f).has_value();
    bool out = dimensionOf(op.results[0], f).has_value();
    int64_t size = padded(index, f);
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
  const AttentionParts &parts = op.attention.value();
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
  // In a ring every rank's keys are met by a kernel of their own.
  int64_t meetings = swapsHeads ? 1 : ranks;
  size.keys = (size.keys + meetings - 1) / meetings;

  const Tensor &query = local.block().tensors[op.operands[0].tensor];
  ElementType type = bitsOf(setting.workload.computeType) < 16
                         ? query.type
                         : setting.workload.computeType;
  Nanoseconds forward = setting.kernels.attentionForward(size, type) * meetings;
  Nanoseconds backward;
  if (op.hasBackward)
    backward = setting.kernels.attentionBackward(size, type) * meetings;
  if (parts.causal && meetings > 1 && profile.compiledRings) {
    // Compiled rings skip hidden keys. Parts are neighbours unless the graph
    // lets every rank have two that are equally far from both ends; the last
    // rank then meets every key of all other ranks.
    bool inOrder = !setting.workload.positionObstacle.empty() ||
                   op.factors[parts.queries].size % (meetings * 2) != 0;
    KernelTimes::AttentionSize full = size;
    full.density = 1;
    auto slowest = [&](Nanoseconds causal, Nanoseconds everything) {
      Nanoseconds one =
          profile.fusedAttention ? causal : times(everything, 0.5);
      return one * meetings +
             (inOrder ? (everything - one) * (meetings - 1) : Nanoseconds(0));
    };
    forward = slowest(setting.kernels.attentionForward(size, type),
                      setting.kernels.attentionForward(full, type));
    if (op.hasBackward)
      backward = slowest(setting.kernels.attentionBackward(size, type),
                         setting.kernels.attentionBackward(full, type));
  }
  if (meetings > 1) {
    auto accumulated = [&](Bytes bytes) {
      return setting.kernels.memoryBound(
                 times(bytes * 3, profile.elementwiseTraffic)) *
             (meetings - 1);
    };
    forward += accumulated(
        local.bytes(op.results[0].tensor, local.resultForm(index, 0)));
    Bytes derivatives;
    for (size_t i = 0; i < op.operands.size(); ++i)
      derivatives +=
          local.bytes(op.operands[i].tensor, local.operandForm(index, i));
    if (op.hasBackward)
      backward += accumulated(derivatives);
  }
  kernel(index, Pass::Forward, forward);
  kernel(index, Pass::Backward, backward);

  // Fused kernels compute the scores again in any case.
  if (!profile.fusedAttention && !profile.selectiveKeepsProducts)
    work.again[static_cast<size_t>(Recompute::Selective)] += forward;
  if (ranks > 1)
    exchangeKeys(index, forward, backward);
  return {};
}

void OpWork::memoryTraffic(size_t index) {
  const Op &op = local.block().ops[index];
  const StackProfile &profile = setting.kernels.profile();
  Bytes moved;
  for (size_t i = 0; i < op.results.size(); ++i)
    moved += local.bytes(op.results[i].tensor, local.resultForm(index, i));
  if (op.lookup)
    // Of the table only the rows that are asked for.
    moved = moved * 2;
  else
    for (size_t i = 0; i < op.operands.size(); ++i) {
      TensorIndex tensor = op.operands[i].tensor;
      if (local.block().tensors[tensor].role != TensorRole::Constant)
        moved += local.bytes(tensor, local.operandForm(index, i));
    }
  double extra = profile.elementwiseTraffic;
  int64_t bits = bitsOf(productType);
  if (bits < 16)
    extra *= profile.lowPrecisionTraffic;
  moved = times(moved, extra);
  kernel(index, Pass::Forward, setting.kernels.memoryBound(moved));
  if (hasTrainedResult(op))
    kernel(index, Pass::Backward, setting.kernels.memoryBound(moved * 2));
  rowStatistics(index);
}

/// A loss takes rows of logits in and leaves nothing as long as a row.
Bytes OpWork::copiesForLoss(size_t index) const {
  const Op &op = local.block().ops[index];
  Bytes largest;
  bool isShared = false;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    bool endsHere = false;
    for (FactorIndex f = 0; f < op.factors.size(); ++f) {
      bool isRow = op.factors[f].kind == FactorKind::RowStatistic &&
                   dimensionOf(op.operands[i], f).has_value();
      for (const TensorUse &result : op.results)
        isRow = isRow && !dimensionOf(result, f);
      endsHere = endsHere || isRow;
      isShared = isShared || (isRow && local.layout().ops[index].factor == f);
    }
    if (endsHere)
      largest =
          std::max(largest, Bytes(local.elements(op.operands[i].tensor,
                                                 local.operandForm(index, i))));
  }
  const StackProfile &profile = setting.kernels.profile();
  return times(largest, isShared ? profile.splitLossBytesPerLogit
                                 : profile.lossBytesPerLogit);
}

/// What an op touches at a time, with gradients beside the values.
void OpWork::workingSet(size_t index) {
  const Op &op = local.block().ops[index];
  Bytes touched;
  bool fused = setting.kernels.profile().fusedAttention;
  auto touch = [&](TensorIndex index, Form form) {
    const Tensor &tensor = local.block().tensors[index];
    bool exists = !tensor.insideAttention || !fused;
    if (tensor.role == TensorRole::Activation && exists)
      touched += local.bytes(index, form);
  };
  for (size_t i = 0; i < op.operands.size(); ++i)
    touch(op.operands[i].tensor, local.operandForm(index, i));
  for (size_t i = 0; i < op.results.size(); ++i)
    touch(op.results[i].tensor, local.resultForm(index, i));
  work.workingSet =
      std::max({work.workingSet, op.hasBackward ? touched * 2 : touched,
                copiesForLoss(index)});
}

} // namespace shardsmith::check
