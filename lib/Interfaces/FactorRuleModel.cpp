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

} // namespace shardsmith
