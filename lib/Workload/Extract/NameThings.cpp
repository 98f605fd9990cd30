// SPDX-License-Identifier: Apache-2.0

#include "Tidy.h"

#include <set>

namespace shardsmith::workload {
namespace {

/// `word`, or the first of `word2`, `word3`, … that is free.
std::string distinct(const std::string &word, std::set<std::string> &taken) {
  std::string name = word;
  for (int next = 2; !taken.insert(name).second; ++next)
    name = word + "_" + std::to_string(next);
  return name;
}

/// Parts of attention by what they are, others by role or size.
void nameFactors(Op &op) {
  std::set<std::string> taken;
  if (op.attention) {
    const AttentionParts &parts = *op.attention;
    auto name = [&](FactorIndex factor, const char *word) {
      op.factors[factor].name = distinct(word, taken);
    };
    name(parts.keyValueHeads, "kv");
    if (parts.group)
      name(*parts.group, "g");
    name(parts.queries, "s");
    name(parts.keys, "t");
    name(parts.headSize, "d");
    name(parts.valueSize, "v");
  }
  for (Factor &factor : op.factors) {
    if (!factor.name.empty())
      continue;
    std::string word = "n" + std::to_string(factor.size);
    if (factor.role == FactorRole::Batch)
      word = "b";
    else if (factor.role == FactorRole::Sequence)
      word = "s";
    else if (factor.role == FactorRole::Expert)
      word = "e";
    factor.name = distinct(word, taken);
  }
}

} // namespace

void nameThings(Workload &workload) {
  for (Block &block : workload.blocks) {
    std::set<std::string> taken;
    for (TensorIndex input : block.inputs)
      block.tensors[input].name = distinct("x", taken);
    for (Op &op : block.ops) {
      nameFactors(op);
      for (const TensorUse &use : op.operands)
        if (const Tensor &tensor = block.tensors[use.tensor];
            tensor.role == TensorRole::Parameter) {
          op.name = tensor.name;
          break;
        }
      for (const TensorUse &use : op.results)
        if (Tensor &tensor = block.tensors[use.tensor]; tensor.name.empty())
          tensor.name = distinct(op.name + ".out", taken);
    }
  }
}

} // namespace shardsmith::workload
