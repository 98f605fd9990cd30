// SPDX-License-Identifier: Apache-2.0
//
// What the device functions of all kinds of attention have in common.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_SCORES_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_SCORES_H

#include "Tiles.h"

#include "shardsmith/Dialect/Smith/AttentionOps.h"

#include <optional>

namespace shardsmith::cuda {

/// How a block divides its work: it has `rows()` rows of scores, and goes
/// through them `columns` at a time.
struct AttentionTiling {
  int64_t warps, columns;
  bool byMatrixInstructions;
  /// How the block's own rows are kept.
  TileUse useOfRows;
  int64_t rows() const { return warps * rowsOfWarp; }
  int64_t threads() const { return warps * warpSize; }
};

/// Nothing if the op's vectors are too long for shared memory.
std::optional<AttentionTiling> attentionTiling(mlir::Operation *op);
std::unique_ptr<TileProducts> makeProducts(FragmentThread &thread,
                                           AttentionTiling tiling);

smith::AttentionSizes attentionSizesOf(mlir::Operation *op);

int64_t batchesOf(const smith::AttentionSizes &sizes);

void emitForward(DeviceKernel &device, mlir::Operation *op,
                 AttentionTiling tiling);
void emitGradient(DeviceKernel &device, mlir::Operation *op,
                  AttentionTiling tiling);

/// One op of the attention family, as its function sees it.
class AttentionScores {
public:
  /// Behind `launch`; adds the operands to the device's memory.
  AttentionScores(FragmentThread &thread, mlir::Operation *op);

  /// The head and the first query of a block that has `rows` queries of one
  /// head. Of causal attention the last queries see most keys: their blocks are
  /// first, so that none of them is left alone at the end.
  std::pair<mlir::Value, mlir::Value> queriesOf(mlir::Value block,
                                                int64_t rows);

  /// Where the bias of a head begins; null without a bias.
  mlir::Value biasOf(mlir::Value head);
  /// The score of a query and a key, from the product of their vectors. One
  /// that there is not, or that the query does not see, is −∞.
  mlir::Value score(mlir::Value product, mlir::Value biasOfHead,
                    mlir::Value query, mlir::Value key);
  /// exp(score − logSumExp), and 0 where the query does not see the key.
  mlir::Value probability(mlir::Value product, mlir::Value biasOfHead,
                          mlir::Value logSumExp, mlir::Value query,
                          mlir::Value key);
  /// How many keys, from the first on, queries before `end` see.
  mlir::Value keysSeenBefore(mlir::Value endOfQueries);
  /// The first query that sees a key from `firstKey` on.
  mlir::Value firstQueryOf(mlir::Value firstKey);

  /// An element of an operand as f32; zero where the condition does not hold.
  mlir::Value load(mlir::Value tensor, mlir::Value position,
                   mlir::Value condition);
  mlir::Value batchOf(mlir::Value head) {
    return integers.quotient(head, sizes.groups);
  }
  int64_t heads() const { return batches * sizes.groups; }

  smith::AttentionSizes sizes;
  int64_t batches;
  double scale = 1;
  bool isCausal = false;
  mlir::Value query, key, value, bias;
  PositionRun queries, keys;

private:
  mlir::Value isSeen(mlir::Value query, mlir::Value key);
  mlir::Value withBias(mlir::Value product, mlir::Value biasOfHead,
                       mlir::Value query, mlir::Value key);

  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  FragmentThread &thread;
  Integers integers;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_SCORES_H
