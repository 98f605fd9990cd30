// SPDX-License-Identifier: Apache-2.0
//
// Whether the positions of sequences may be taken in another order, and where.
//
// Most ops of a model do the same for every position, so that with permuted
// inputs they give permuted results. Where a value is made by its numbers (an
// iota, a table of positions, an argument), the other order begins; an op that
// mixes neighbours must not see it:
//
//     tokens ──▶ * ──▶ embedding ──┐
//     table  ──▶ * ────────────────┴▶ add ──▶ attention ──▶ … ──▶ mean
//     labels ──▶ * ───────────────────────────────────────────────┘
//                * here positions are put into the other order

#ifndef SHARDSMITH_TRANSFORMS_POSITIONORDER_H
#define SHARDSMITH_TRANSFORMS_POSITIONORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace shardsmith {

/// Positions as a part of a dimension: index / `inner` % `size`.
struct PositionPart {
  unsigned dim = 0;
  int64_t inner = 1, size = 1;

  auto operator<=>(const PositionPart &) const = default;
};

/// Follows one order of positions through a module, calls included.
class PositionOrder {
public:
  explicit PositionOrder(mlir::ModuleOp module);

  /// The op that has this operand sees its positions in the other order.
  void reorder(mlir::OpOperand &use, PositionPart part);

  /// Finds all values that are in the other order then. Empty if every op
  /// computes the same that way; else the first obstacle, an op with its
  /// location. It is one, too, to bring activations from one order into the
  /// other, which ranks would have to exchange: only arguments of `@main`,
  /// integers made of integers and what follows from no sample are.
  std::string follow();

  /// Operands whose value is in the order of the sequence, to be brought into
  /// the other one: once per part. Values that are alike everywhere are not
  /// listed.
  struct Read {
    mlir::OpOperand *use;
    PositionPart part;
  };
  llvm::ArrayRef<Read> reads() const { return foundReads; }

  /// Tells ops that count positions (PositionOrderInterface.h) that the other
  /// order is zigzag over so many ranks.
  void putInZigzag(int64_t ranks) const;

private:
  /// A part of a factor that counts positions in the other order.
  using FactorPart =
      std::tuple<mlir::Operation *, FactorIndex, int64_t, int64_t>;

  const FactorRule *ruleOf(mlir::Operation *op);
  std::optional<FactorPart> factorOf(mlir::Operation *op,
                                     const TensorFactors &factors,
                                     const FactorRule &rule, PositionPart part);
  static bool takesZigzag(FactorPart part);
  static bool commutes(FactorPart part, const FactorRule &rule);
  std::optional<FactorPart> factorOfOperand(mlir::OpOperand &use,
                                            PositionPart part);
  std::optional<FactorPart> factorOfResult(mlir::OpResult result,
                                           PositionPart part);

  void read(mlir::OpOperand &use, PositionPart part);
  void follow(mlir::Value value, PositionPart part);
  void followUse(mlir::OpOperand &use, PositionPart part);
  void add(FactorPart part);
  void visit(FactorPart part);
  void refuse(mlir::Value value, mlir::Operation *by);
  /// A number computed of samples, or an integer that depends on one.
  bool isActivation(mlir::Value value) const;
  bool mayChangeOrder(mlir::Value value) const;
  void findSamples(mlir::func::FuncOp function);

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::func::FuncOp, llvm::SmallVector<mlir::func::CallOp, 1>>
      callsOf;
  /// Null: the op has none.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<FactorRule>> rules;
  /// Values that depend on samples.
  llvm::DenseSet<mlir::Value> samples;
  /// Of these, integers that depend on numbers computed in between: their
  /// positions are in the order in which those are.
  llvm::DenseSet<mlir::Value> activations;
  llvm::SmallVector<Read> seeds, foundReads;
  /// Values that stay in the order of the sequence.
  llvm::DenseSet<mlir::Value> kept;
  bool keepsMore = false;
  std::string obstacle;
  std::set<FactorPart> foundSet;
  std::vector<FactorPart> found;
  std::set<std::tuple<mlir::Operation *, unsigned, PositionPart>> seenReads;
  std::set<std::pair<void *, PositionPart>> seenValues;
};

} // namespace shardsmith

#endif // SHARDSMITH_TRANSFORMS_POSITIONORDER_H
