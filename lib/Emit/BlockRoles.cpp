// SPDX-License-Identifier: Apache-2.0

#include "BlockRoles.h"

#include <algorithm>

namespace shardsmith::emit {

using namespace workload;

bool hasRole(const Block &block, TensorIndex tensor, unsigned dim,
             FactorRole role) {
  auto counts = [&](const Op &op, const TensorUse &use) {
    return use.tensor == tensor && dim < use.dims.size() &&
           std::ranges::any_of(
               use.dims[dim],
               [&](FactorIndex factor) {
                 return op.factors[factor].role == role;
               });
  };
  return std::ranges::any_of(block.ops, [&](const Op &op) {
    auto in = [&](const TensorUse &use) { return counts(op, use); };
    return std::ranges::any_of(op.operands, in) ||
           std::ranges::any_of(op.results, in);
  });
}

bool countsPositions(const Block &block, TensorIndex tensor, unsigned dim) {
  return hasRole(block, tensor, dim, FactorRole::Sequence);
}

std::optional<unsigned> matrixOf(const Block &block, const Op &op) {
  for (unsigned i = 0; i < op.operands.size(); ++i)
    if (block.tensors[op.operands[i].tensor].role == TensorRole::Parameter)
      return i;
  return std::nullopt;
}

} // namespace shardsmith::emit
