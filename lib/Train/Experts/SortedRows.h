// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens that a sort has put in the order of their experts:
//
//     experts [r] ──sort──▶ order [r]
//     tokens [t, h] ──gather at order / k──▶ rows [r, h] ──▶ … ──▶ made [r, h]
//     made [r, h] ──scatter at order / k──▶ [t, h]
//
// or, where a second sort makes the inverse of the order,
//
//     made [r, h] ──gather at inverse──▶ [r, h] ──▶ sums of k rows each
//
// Nothing between gather and scatter looks at the order, so all of it can be
// done in the order of the tokens: row r belongs to token r / k, and
// `smith.grouped_dot` takes rows in any order. What is left has no sort, and a
// batch that can be split.

#ifndef SHARDSMITH_LIB_TRAIN_EXPERTS_SORTEDROWS_H
#define SHARDSMITH_LIB_TRAIN_EXPERTS_SORTEDROWS_H

#include "KnownIntegers.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Train/ExpertRows.h"
#include "shardsmith/Transforms/RaggedDots.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>

namespace shardsmith {

/// Axes of a mesh by their names.
mlir::ArrayAttr axisNames(mlir::MLIRContext *context,
                          llvm::ArrayRef<std::string> axes);
/// Splits each factor of an op over these axes. No operand is a partial sum.
void splitFactors(mlir::Operation *op, llvm::ArrayRef<mlir::ArrayAttr> factors);

/// Builds the computation on the rows of one sort anew, in the order of the
/// tokens. With experts on several ranks, values between the first product and
/// the sum over a token's experts have a leading dimension, one part per rank,
/// in which rows of experts elsewhere are zero.
class SortedRows {
public:
  /// What the parts of the ranks have: a row for each choice of each token; or
  /// a slot for each token and each expert of the rank, where these are fewer;
  /// or the rows that are sent there, packed sample by sample.
  enum class PartRows { OfChoices, OfExperts, Exchanged };

  SortedRows(stablehlo::SortOp sort, const ExpertRanks &ranks,
             PartRows partRows);
  ~SortedRows();

  /// Replaces what the rows are used for, and leaves the old ops unused. False,
  /// with nothing changed, if the rows are no rows of experts or if an op looks
  /// at their order; `obstacle` then names it.
  bool run();
  mlir::Operation *obstacle() const { return failedAt; }

private:
  /// What a value on sorted rows is in the order of tokens.
  struct Row {
    mlir::Value value;
    /// Whether there is one part per rank of experts.
    bool isSpread = false;
    /// Whether rows of experts elsewhere are zero in every part.
    bool isZeroElsewhere = false;
  };

  // SortedRows.cpp
  bool readSort();
  bool isCountOfEach(mlir::Value sizes, int64_t experts);
  bool isSumOfMatches(stablehlo::ReduceOp reduce);
  bool isSumAtExperts(stablehlo::ScatterOp scatter);
  bool areExperts(mlir::Value value);
  bool visit(mlir::Operation *op);
  bool rebuildProduct(chlo::RaggedDotOp op);
  bool rebuildRowwise(mlir::Operation *op);
  bool rebuildSpread(mlir::Operation *op);
  bool isSameInAllRows(mlir::Value value);
  mlir::ImplicitLocOpBuilder builderAt(mlir::Operation *op);
  const Row *find(mlir::Value value) const;
  void define(mlir::Value old, Row row);

  // ProductSplit.cpp
  void splitLike(chlo::RaggedDotOp op, const RowsByMatrices &product,
                 smith::GroupedDotOp dot);
  /// The axes that samples are split over where parts are split over theirs.
  llvm::SmallVector<std::string> sampleAxesBesideParts() const;

  /// Notes the inverse of the order.
  bool readInverse(stablehlo::SortOp op);

  // RowsOfTokens.cpp
  bool rebuildGather(stablehlo::GatherOp op);
  bool putBack(stablehlo::GatherOp op);
  bool rebuildScatter(stablehlo::ScatterOp op);
  /// Rows per token, if the positions are 0, 0, …, 1, 1, …, up to `tokens`.
  std::optional<int64_t> rowsPerToken(mlir::Value positions, int64_t tokens);

  // RowParts.cpp
  /// A tensor repeated for every part.
  mlir::Value spread(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);
  mlir::Value spreadToSlots(TensorValue tensor, llvm::ArrayRef<int64_t> shape);
  mlir::Value spreadSame(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value value);
  llvm::SmallVector<int64_t> spreadShape(llvm::ArrayRef<int64_t> rows) const;
  void keepOnRanks(mlir::Value value,
                   std::optional<llvm::ArrayRef<std::string>> next = {});
  /// The expert of each row as a rank numbers its own ones, `[parts, r]`.
  mlir::Value expertsOfRanks(mlir::ImplicitLocOpBuilder &builder,
                             int64_t experts);
  mlir::Value expertsOfSlots(TensorValue numbers);
  int64_t slotCount() const;
  /// Experts of a rank, of the last ones at most.
  int64_t perRank(int64_t experts) const;
  TensorValue matricesOfRanks(TensorValue matrices);
  /// The value with its parts added up.
  mlir::Value whole(mlir::ImplicitLocOpBuilder &builder, const Row &row);
  /// Rows of a token, one behind the other, in every part: `[parts, t, k, …]`.
  mlir::Value byTokens(mlir::ImplicitLocOpBuilder &builder, const Row &row,
                       int64_t tokens);

  // PackedRows.cpp
  bool sendsRows() const;
  /// Each of the samples has equally many tokens.
  bool areOfSamples() const;
  int64_t capacityOf(int64_t expertCount) const;
  TensorValue numbersOf(mlir::ImplicitLocOpBuilder &builder,
                        int64_t expertCount);
  TensorValue withoutDropped(TensorValue rows);
  mlir::Value placeRows(TensorValue numbers);
  mlir::Value pack(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);
  mlir::Value unpack(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);

  stablehlo::SortOp sort;
  const ExpertRanks &ranks;
  PartRows partRows;
  KnownIntegers known;
  mlir::Value experts;
  /// Where each row of the tokens' order is among the sorted ones; null: nobody
  /// asks.
  mlir::Value inverse;
  /// The same experts in the shape in which the router has chosen them.
  mlir::Value chosen;
  int64_t rowCount = 0;
  /// Experts that each token has chosen, all of them different.
  int64_t choices = 0;
  int64_t expertsPerRank = 0, expertTotal = 0;
  /// With a capacity: whether a row is one that its expert takes, `[r]`.
  mlir::Value isKept;
  /// Of rows that are exchanged: where each is, `[samples, rows]`, in how many
  /// slots of a part, and rows that are packed already.
  mlir::Value slots;
  int64_t slotsPerSample = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> packed;
  /// With slots: whether choice k of a token is the expert of its slot,
  /// `[parts, t, slot, k]`.
  mlir::Value isChosen;
  /// Rows that are those of a table, repeated for each choice of each token.
  llvm::DenseMap<mlir::Value, mlir::Value> repeated;
  bool hasProduct = false;
  llvm::DenseMap<mlir::Value, Row> rows;
  llvm::DenseMap<int64_t, mlir::Value> ownExperts;
  llvm::SmallVector<mlir::Operation *> made;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> replacements;
  mlir::Operation *failedAt = nullptr;
  class Recorder;
  std::unique_ptr<Recorder> recorder;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_EXPERTS_SORTEDROWS_H
