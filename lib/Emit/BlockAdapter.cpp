// SPDX-License-Identifier: Apache-2.0

#include "BlockAdapter.h"

#include "BlockRoles.h"

#include <algorithm>

namespace shardsmith::emit {

using namespace workload;

namespace {

/// The op of these that has the largest matrix.
template <typename Predicate>
std::optional<OpIndex> largest(const Block &block, Predicate isMeant) {
  std::optional<OpIndex> found;
  int64_t elements = 0;
  for (OpIndex index = 0; index < block.ops.size(); ++index) {
    const Op &op = block.ops[index];
    std::optional<unsigned> matrix = matrixOf(block, op);
    if (!matrix || !isMeant(op))
      continue;
    int64_t count = block.tensors[op.operands[*matrix].tensor].elementCount();
    if (count > elements) {
      found = index;
      elements = count;
    }
  }
  return found;
}

/// The largest factor of that kind in the op's matrix.
std::optional<FactorIndex> factorOf(const Op &op, unsigned matrix,
                                    FactorKind kind) {
  std::optional<FactorIndex> found;
  for (const std::vector<FactorIndex> &dim : op.operands[matrix].dims)
    for (FactorIndex factor : dim)
      if (op.factors[factor].kind == kind &&
          (!found || op.factors[factor].size > op.factors[*found].size))
        found = factor;
  return found;
}

std::optional<OpIndex> headOf(const Block &block) {
  return largest(block, [](const Op &op) { return op.isPlainProduct(); });
}

std::optional<FactorIndex> columnsOf(const Block &block, const Op &head) {
  return factorOf(head, *matrixOf(block, head), FactorKind::PassThrough);
}

} // namespace

std::optional<int64_t> columnsOfHead(const Block &block) {
  std::optional<OpIndex> head = headOf(block);
  if (!head)
    return std::nullopt;
  const Op &op = block.ops[*head];
  std::optional<FactorIndex> columns = columnsOf(block, op);
  return columns ? std::optional(op.factors[*columns].size) : std::nullopt;
}

void BlockAdapter::keepPositionsWhole() {
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    if (std::optional<FactorIndex> factor = layout.ops[op].factor)
      if (block.ops[op].factors[*factor].role == FactorRole::Sequence)
        layout.ops[op] = {};
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    if (isSplitByPositions(tensor))
      layout.tensors[tensor] = TensorLayout::whole();
}

void BlockAdapter::adaptEmbedding() {
  std::optional<OpIndex> table =
      largest(block, [](const Op &op) { return op.lookup.has_value(); });
  if (!table)
    return;
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    layout.ops[op] = {};
  if (rules.table == LayoutRules::Table::Rows)
    split(*table,
          factorOf(block.ops[*table], *matrixOf(block, block.ops[*table]),
                   FactorKind::Reduction));
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    if (isActivation(tensor) && !isOutput(tensor))
      layout.tensors[tensor] = TensorLayout::whole();
}

void BlockAdapter::adaptHead() {
  std::optional<OpIndex> head = headOf(block);
  if (!head)
    return;
  bool byPositions = std::ranges::any_of(block.inputs, [&](TensorIndex input) {
    return isSplitByPositions(input);
  });
  for (OpIndex op = 0; op < *head; ++op)
    followInputs(op, byPositions);
  const Op &op = block.ops[*head];
  std::optional<FactorIndex> columns = columnsOf(block, op);
  bool isUneven = columns && op.factors[*columns].size % ranks != 0;
  if (rules.head == LayoutRules::Head::Whole || (rules.evenHead && isUneven))
    columns = std::nullopt;
  split(*head, columns);
  bool inParts = rules.head == LayoutRules::Head::Columns && columns;
  for (const TensorUse &result : op.results)
    keep(result, inParts ? columns : std::nullopt);
  for (OpIndex next = *head + 1; next < block.ops.size(); ++next)
    followResults(next);
}

void BlockAdapter::adaptParameters() {
  for (TensorIndex tensor : block.parameters) {
    ReadingSet readings;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        if (block.ops[op].operands[i].tensor == tensor)
          readings.insert(shapes.reading(op, layout.ops[op], i));
    layout.tensors[tensor] = BlockShapes::parameterLayout(readings);
  }
}

bool BlockAdapter::isActivation(TensorIndex tensor) const {
  return block.tensors[tensor].role == TensorRole::Activation;
}

bool BlockAdapter::isOutput(TensorIndex tensor) const {
  return std::ranges::find(block.outputs, tensor) != block.outputs.end();
}

bool BlockAdapter::isSplitByPositions(TensorIndex tensor) const {
  const TensorLayout &kept = layout.tensors[tensor];
  return kept.kind == TensorLayout::Kind::Split && isActivation(tensor) &&
         countsPositions(block, tensor, kept.dim);
}

void BlockAdapter::split(OpIndex op, std::optional<FactorIndex> factor) {
  std::vector<OpSplit> possible = shapes.splits(op);
  OpSplit wanted{factor};
  bool can = std::ranges::find(possible, wanted) != possible.end();
  layout.ops[op] = can ? wanted : OpSplit();
}

void BlockAdapter::keep(const TensorUse &result,
                        std::optional<FactorIndex> factor) {
  TensorLayout wanted = TensorLayout::whole();
  if (factor)
    for (unsigned dim = 0; dim < result.dims.size(); ++dim)
      if (std::ranges::find(result.dims[dim], *factor) !=
          result.dims[dim].end())
        wanted = TensorLayout::split(dim);
  layout.tensors[result.tensor] = wanted;
}

void BlockAdapter::followInputs(OpIndex index, bool byPositions) {
  const Op &op = block.ops[index];
  std::optional<FactorIndex> positions;
  for (FactorIndex i = 0; byPositions && i < op.factors.size(); ++i)
    if (op.factors[i].role == FactorRole::Sequence)
      positions = i;
  split(index, positions);
  for (const TensorUse &result : op.results)
    keep(result, layout.ops[index].factor);
}

void BlockAdapter::followResults(OpIndex index) {
  const Op &op = block.ops[index];
  std::optional<FactorIndex> found;
  for (const TensorUse &operand : op.operands) {
    const TensorLayout &kept = layout.tensors[operand.tensor];
    if (isActivation(operand.tensor) &&
        kept.kind == TensorLayout::Kind::Split &&
        kept.dim < operand.dims.size() && !operand.dims[kept.dim].empty())
      found = operand.dims[kept.dim].front();
  }
  split(index, found);
  for (const TensorUse &result : op.results)
    if (!isOutput(result.tensor))
      keep(result, layout.ops[index].factor);
}

} // namespace shardsmith::emit
