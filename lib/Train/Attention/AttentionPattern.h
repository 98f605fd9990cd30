// SPDX-License-Identifier: Apache-2.0
//
// Attention in a loss graph, as ops that can be replaced:
//
//     q, k ─dot▶ scores ─▶ scale, mask, bias, transpose, convert ─▶ z
//     z ─▶ m = max z, e = exp(z − m), e / Σ e ─▶ p ─┐
//                                       v ──────────┴dot▶ mixed
//
// Only what computes the same up to roundings is matched: every op in between
// is known, and nobody else reads its result.

#ifndef SHARDSMITH_LIB_TRAIN_ATTENTION_ATTENTIONPATTERN_H
#define SHARDSMITH_LIB_TRAIN_ATTENTION_ATTENTIONPATTERN_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <optional>

namespace shardsmith {

/// A tensor whose dimensions are dimensions of z; along the others it repeats.
struct RepeatedTensor {
  mlir::Value value;
  llvm::SmallVector<int64_t> dimensions;
};

/// What is added to z: a bias, or what a selection writes over the scores.
struct ScoreTerm {
  RepeatedTensor tensor;
  /// Of a selection the tensor says which scores are kept, or which are not;
  /// the others become this number, which is −1e30 or less (of a causal mask
  /// −1e9 or less).
  std::optional<double> hidden = {};
  bool keepsWhereTrue = true;
};

struct AttentionPattern {
  stablehlo::DotGeneralOp scores, mix;
  unsigned queryOperand = 0, probabilityOperand = 0;
  double scale = 1;
  llvm::SmallVector<ScoreTerm> terms;
  bool isCausal = false;

  /// Dimensions of z: those that queries, keys and values share, the group (if
  /// there is one), queries, keys.
  llvm::SmallVector<int64_t> batch;
  std::optional<int64_t> group;
  int64_t query = -1, key = -1;
  /// Dimension of z → dimension of the scores, and of the probabilities as the
  /// second product reads them.
  llvm::SmallVector<int64_t> inScores, inProbabilities;
  llvm::SmallVector<int64_t> shape;

  static std::optional<AttentionPattern> match(stablehlo::DotGeneralOp mix,
                                               unsigned probabilityOperand);

  /// Dimension of z → dimension of queries, keys or values; −1: none.
  int64_t inQuery(int64_t dim) const;
  int64_t inKey(int64_t dim) const;
  int64_t inValue(int64_t dim) const;
  /// Dimension of the second product's result → of the probabilities; −1: of
  /// the values alone.
  llvm::SmallVector<int64_t> probabilityOfResult() const;
  /// The dimension of the queries that scores sum over, the same of the keys,
  /// and the dimension of the values that is no other.
  int64_t querySum = -1, keySum = -1, valueFree = -1;

  mlir::Value queries() const { return scores->getOperand(queryOperand); }
  mlir::Value keys() const { return scores->getOperand(1 - queryOperand); }
  mlir::Value values() const { return mix->getOperand(1 - probabilityOperand); }
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_ATTENTION_ATTENTIONPATTERN_H
