// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/FactorRuleModel.h"

using namespace mlir;

namespace shardsmith {

FactorRule pointwiseRule(Operation *op) {
  SmallVector<ArrayRef<int64_t>> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(shapeOf(operand));
  for (Value result : op->getResults())
    results.push_back(shapeOf(result));
  return FactorRuleBuilder::pointwise(operands, results);
}

FactorRule replicatedRule(Operation *op) {
  FactorRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    for (auto [dim, size] : llvm::enumerate(shapeOf(operand)))
      builder.add(size, {{unsigned(index), unsigned(dim)}}, {},
                  FactorKind::NeedReplication);
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    for (auto [dim, size] : llvm::enumerate(shapeOf(result)))
      builder.add(size, {}, {{unsigned(index), unsigned(dim)}},
                  FactorKind::NeedReplication);
  return builder.build();
}

FactorRule withoutNeighbours(Operation *op, const FactorRule &rule) {
  Neighbourhoods neighbourhoods = getNeighbourhoods(op);
  if (neighbourhoods.empty())
    return rule;
  auto isReaching = [&](FactorIndex factor) {
    return llvm::any_of(neighbourhoods, [&](const Neighbourhood &each) {
      return each.factor == factor;
    });
  };
  FactorRule plain = rule;
  auto separate = [&](TensorFactors &tensor, Value value) {
    for (auto [dim, factors] : llvm::enumerate(tensor))
      if (factors.size() == 1 && isReaching(factors.front())) {
        factors.front() = plain.factors.size();
        plain.factors.push_back(
            {shapeOf(value)[dim], FactorKind::NeedReplication});
      }
  };
  for (auto [tensor, value] :
       llvm::zip_equal(plain.operands, op->getOperands()))
    separate(tensor, value);
  for (auto [tensor, value] : llvm::zip_equal(plain.results, op->getResults()))
    separate(tensor, value);
  // They are left without a dimension.
  for (FactorIndex factor = 0; factor < rule.factors.size(); ++factor)
    if (isReaching(factor))
      plain.factors[factor] = {1, FactorKind::NeedReplication};
  return plain;
}

} // namespace shardsmith
