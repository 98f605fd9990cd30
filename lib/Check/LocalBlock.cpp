// SPDX-License-Identifier: Apache-2.0

#include "LocalBlock.h"

#include "Axes.h"
#include "Rounding.h"

#include <algorithm>

namespace shardsmith::check {

using namespace workload;

namespace {

bool hasDerivative(ElementType type) {
  return type != ElementType::I64 && type != ElementType::I32 &&
         type != ElementType::I8 && type != ElementType::Bool;
}

} // namespace

std::optional<unsigned> dimensionOf(const TensorUse &use, FactorIndex factor) {
  for (unsigned dim = 0; dim < use.dims.size(); ++dim)
    for (FactorIndex each : use.dims[dim])
      if (each == factor)
        return dim;
  return std::nullopt;
}

LocalBlock::LocalBlock(const Block &block, const BlockLayout &layout,
                       const Strategy &strategy)
    : described(block), chosen(layout), strategy(strategy),
      facts(block.tensors.size()) {
  for (TensorIndex tensor : block.inputs)
    facts[tensor].input = true;
  for (TensorIndex tensor : block.outputs)
    facts[tensor].output = true;
  for (const Op &op : block.ops) {
    for (const TensorUse &use : op.operands) {
      measure(op, use);
      facts[use.tensor].read = true;
    }
    for (const TensorUse &use : op.results)
      measure(op, use);
  }
  // Tensors that no op touches pass through; their first dimension is the
  // batch.
  for (TensorIndex tensor = 0; tensor < facts.size(); ++tensor) {
    Facts &fact = facts[tensor];
    if (!fact.lengths.empty() || block.tensors[tensor].shape.empty())
      continue;
    fact.lengths = block.tensors[tensor].shape;
    fact.lengths[0] = multiplied(fact.lengths[0], strategy.microBatch);
  }
  traceGradients();
}

/// The first op that touches a tensor says what its dimensions count.
void LocalBlock::measure(const Op &op, const TensorUse &use) {
  Facts &fact = facts[use.tensor];
  const Tensor &tensor = described.tensors[use.tensor];
  bool known = !fact.lengths.empty();
  if (!known)
    fact.lengths = tensor.shape;
  for (unsigned dim = 0; dim < use.dims.size(); ++dim)
    for (FactorIndex factor : use.dims[dim]) {
      FactorRole role = op.factors[factor].role;
      fact.experts |= role == FactorRole::Expert;
      if (known)
        continue;
      int64_t &length = fact.lengths[dim];
      if (role == FactorRole::Batch)
        length = multiplied(length, strategy.microBatch);
      // Rows of an expert's tokens stay as many: they come from all ranks.
      else if (role != FactorRole::Expert ||
               tensor.role == TensorRole::Parameter)
        length = ceilDivide(length, ranksSplitting(role, strategy));
    }
}

void LocalBlock::traceGradients() {
  for (TensorIndex tensor = 0; tensor < facts.size(); ++tensor) {
    bool source = facts[tensor].input ||
                  described.tensors[tensor].role == TensorRole::Parameter;
    facts[tensor].trained =
        source && hasDerivative(described.tensors[tensor].type);
  }
  for (const Op &op : described.ops) {
    bool reached = false;
    for (const TensorUse &use : op.operands)
      reached |= op.hasBackward && facts[use.tensor].trained;
    for (const TensorUse &use : op.results)
      facts[use.tensor].trained =
          reached && hasDerivative(described.tensors[use.tensor].type);
  }
}

int64_t LocalBlock::size(const Op &op, FactorIndex factor) const {
  int64_t size = op.factors[factor].size;
  FactorRole role = op.factors[factor].role;
  if (role == FactorRole::Batch)
    size = multiplied(size, strategy.microBatch);
  size = ceilDivide(size, ranksSplitting(role, strategy));
  auto index = static_cast<size_t>(&op - described.ops.data());
  bool sliced = chosen.ops[index].factor == factor;
  return sliced ? ceilDivide(size, strategy.tensor) : size;
}

int64_t LocalBlock::elements(TensorIndex tensor, Form form) const {
  const std::vector<int64_t> &lengths = facts[tensor].lengths;
  int64_t count = 1;
  for (unsigned dim = 0; dim < lengths.size(); ++dim)
    count = multiplied(count, form == Form::slice(dim)
                                  ? ceilDivide(lengths[dim], strategy.tensor)
                                  : lengths[dim]);
  return count;
}

Bytes LocalBlock::bytes(TensorIndex tensor, Form form) const {
  int64_t count = elements(tensor, form);
  int64_t bits = bitsOf(described.tensors[tensor].type);
  if (bits < 8)
    return Bytes(ceilDivide(count, 8 / bits));
  return Bytes(count) * (bits / 8);
}

Form LocalBlock::kept(TensorIndex tensor) const {
  const TensorLayout &layout = chosen.tensors[tensor];
  return layout.kind == TensorLayout::Kind::Split ? Form::slice(layout.dim)
                                                  : Form::copy();
}

Form LocalBlock::operandForm(size_t op, size_t operand) const {
  std::optional<FactorIndex> factor = chosen.ops[op].factor;
  if (!factor)
    return Form::copy();
  auto dim = dimensionOf(described.ops[op].operands[operand], *factor);
  return dim ? Form::slice(*dim) : Form::copy();
}

Form LocalBlock::resultForm(size_t op, size_t result) const {
  std::optional<FactorIndex> factor = chosen.ops[op].factor;
  if (!factor)
    return Form::copy();
  const Op &source = described.ops[op];
  if (auto dim = dimensionOf(source.results[result], *factor))
    return Form::slice(*dim);
  bool sums = source.factors[*factor].kind == FactorKind::Reduction;
  return sums ? Form::term() : Form::copy();
}

std::set<Form> LocalBlock::wanted(TensorIndex tensor) const {
  std::set<Form> forms;
  for (size_t op = 0; op < described.ops.size(); ++op)
    for (size_t i = 0; i < described.ops[op].operands.size(); ++i)
      if (described.ops[op].operands[i].tensor == tensor)
        forms.insert(operandForm(op, i));
  return forms;
}

/// An op that slices a factor its operand lacks has used a copy for its own
/// share of the work: what it leaves is a term of the gradient.
std::set<Form> LocalBlock::gradients(TensorIndex tensor) const {
  std::set<Form> forms;
  if (!facts[tensor].trained)
    return forms;
  for (size_t op = 0; op < described.ops.size(); ++op)
    for (size_t i = 0; i < described.ops[op].operands.size(); ++i) {
      if (described.ops[op].operands[i].tensor != tensor)
        continue;
      Form form = operandForm(op, i);
      bool shares = chosen.ops[op].factor && described.ops[op].hasBackward;
      if (form == Form::copy() && shares)
        form = Form::term();
      forms.insert(form);
    }
  return forms;
}

} // namespace shardsmith::check
