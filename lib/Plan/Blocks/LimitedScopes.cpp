// SPDX-License-Identifier: Apache-2.0

#include "LimitedScopes.h"

#include <limits>

namespace shardsmith::blocks {

using namespace workload;

namespace {

constexpr size_t endless = std::numeric_limits<size_t>::max();

/// Exact sets that a tensor may be read in, at most. They say who is the first
/// to read what, so there are far more than sets.
size_t exactSets(const Block &block, const BlockShapes &shapes,
                 TensorIndex tensor) {
  size_t sets = 1;
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    for (const TensorUse &use : block.ops[op].operands)
      if (use.tensor == tensor &&
          __builtin_mul_overflow(sets, shapes.splits(op).size() + 1, &sets))
        return endless;
  return sets;
}

} // namespace

size_t resultEntries(TableScopes scopes, const std::vector<Variable> &kept) {
  size_t entries = scopes.count(kept);
  while (auto step = scopes.eliminateOneBut(kept)) {
    size_t size = scopes.count(scopes.scope(step->result));
    if (__builtin_add_overflow(entries, size, &entries))
      return endless;
  }
  return entries;
}

size_t resultEntries(const Block &block, const BlockShapes &shapes,
                     bool repeatable, ReadingSets sets) {
  constexpr size_t manySets = size_t(1) << 16;
  if (sets == ReadingSets::ThoseRead)
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      if (exactSets(block, shapes, tensor) > manySets)
        return endless;
  TableScopes scopes;
  BlockVariables variables(block, shapes, repeatable, sets, scopes);
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    scopes.addTable({Variable(op)});
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
    if (!variables.hasLayout(tensor))
      continue;
    scopes.addTable(variables.scopeOf(tensor));
    for (const BlockVariables::Reader &reader : variables.readersOf(tensor))
      scopes.addTable(reader.scope());
  }
  return resultEntries(std::move(scopes), variables.borders());
}

std::vector<Variable> limitResults(TableScopes &scopes,
                                   const std::vector<Variable> &kept,
                                   const SumLimits &limits) {
  if (resultEntries(scopes, kept) <= limits.entries)
    return kept;
  std::vector<Variable> left;
  if (scopes.count(kept) <= limits.relaxedEntries)
    left = kept;
  // The smaller the results are, the looser is the bound.
  constexpr size_t smallest = 16;
  size_t most = limits.relaxedEntries;
  do {
    most /= 4;
    scopes.limitResults(most);
  } while (most > smallest &&
           resultEntries(scopes, left) > limits.relaxedEntries);
  return left;
}

} // namespace shardsmith::blocks
