// SPDX-License-Identifier: Apache-2.0
//
// For the files that attach factor rules to the ops of a dialect.

#ifndef SHARDSMITH_INTERFACES_FACTORRULEMODEL_H
#define SHARDSMITH_INTERFACES_FACTORRULEMODEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"
#include "shardsmith/Support/TensorTypes.h"

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

/// A rule together with what its factors need of neighbours.
struct ReachingRule {
  FactorRule rule;
  Neighbourhoods neighbourhoods;
};

/// Attaches both interfaces.
template <typename OpTy, ReachingRule (*rule)(OpTy)>
struct ReachingRuleModel
    : NeighbourhoodInterface::ExternalModel<ReachingRuleModel<OpTy, rule>,
                                            OpTy> {
  static FactorRule getRule(OpTy op) { return rule(op).rule; }
  Neighbourhoods getNeighbourhoods(mlir::Operation *op) const {
    return rule(llvm::cast<OpTy>(op)).neighbourhoods;
  }
  static void attach(mlir::MLIRContext *context) {
    FactorRuleModel<OpTy, getRule>::attach(context);
    OpTy::template attachInterface<ReachingRuleModel>(*context);
  }
};

/// The rule of an op that computes each result element from the operand
/// elements at the same place.
FactorRule pointwiseRule(mlir::Operation *op);

/// The rule in which every dimension of every tensor is a factor of its own
/// that must be replicated: for ops nobody can split.
FactorRule replicatedRule(mlir::Operation *op);

/// The rule of `op` for who does not know of neighbourhoods: dimensions of
/// factors that have one are factors of their own that must be replicated.
FactorRule withoutNeighbours(mlir::Operation *op, const FactorRule &rule);

} // namespace shardsmith

#endif // SHARDSMITH_INTERFACES_FACTORRULEMODEL_H
