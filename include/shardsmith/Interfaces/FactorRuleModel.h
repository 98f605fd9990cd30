// SPDX-License-Identifier: Apache-2.0
//
// For the files that attach factor rules to the ops of a dialect.

#ifndef SHARDSMITH_INTERFACES_FACTORRULEMODEL_H
#define SHARDSMITH_INTERFACES_FACTORRULEMODEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

namespace shardsmith {

/// Attaches `rule` as the FactorRuleInterface of `OpTy`:
///
///   FactorRule reverseRule(ReverseOp op) { … }
///   FactorRuleModel<ReverseOp, reverseRule>::attach(context);
template <typename OpTy, FactorRule (*rule)(OpTy)>
struct FactorRuleModel
    : FactorRuleInterface::ExternalModel<FactorRuleModel<OpTy, rule>, OpTy> {
  FactorRule getFactorRule(mlir::Operation *op) const {
    return rule(llvm::cast<OpTy>(op));
  }
  static void attach(mlir::MLIRContext *context) {
    OpTy::template attachInterface<FactorRuleModel>(*context);
  }
};

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// The rule of an op that computes each result element from the operand
/// elements at the same place.
FactorRule pointwiseRule(mlir::Operation *op);

/// The rule in which every dimension of every tensor is a factor of its own
/// that must be replicated: for ops nobody can split.
FactorRule replicatedRule(mlir::Operation *op);

} // namespace shardsmith

#endif // SHARDSMITH_INTERFACES_FACTORRULEMODEL_H
