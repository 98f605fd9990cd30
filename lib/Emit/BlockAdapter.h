// SPDX-License-Identifier: Apache-2.0
//
// One block taken to the layouts that a runtime chooses around layers.

#ifndef SHARDSMITH_LIB_EMIT_BLOCKADAPTER_H
#define SHARDSMITH_LIB_EMIT_BLOCKADAPTER_H

#include "RuntimeLayouts.h"
#include "shardsmith/Cost/Units/BlockShapes.h"

namespace shardsmith::emit {

/// The columns of the largest product of activations with a matrix; nothing if
/// there is none.
std::optional<int64_t> columnsOfHead(const workload::Block &block);

/// Changes the layout of one block until the rules hold. What is passed must
/// outlive it.
class BlockAdapter {
public:
  BlockAdapter(const LayoutRules &rules, const workload::Block &block,
               const UnitSetting &setting, BlockLayout &layout)
      : rules(rules), block(block), ranks(setting.tensor),
        shapes(block, setting), layout(layout) {}

  /// No op works on a part of the positions.
  void keepPositionsWhole();
  /// The token table as the rules say, all else on every tensor rank.
  void adaptEmbedding();
  /// The head as the rules say, what is before it as the block's inputs are,
  /// and the loss on what the head gives.
  void adaptHead();
  /// Parameters are held as they are read; call it last.
  void adaptParameters();

private:
  bool isActivation(workload::TensorIndex tensor) const;
  bool isOutput(workload::TensorIndex tensor) const;
  bool isSplitByPositions(workload::TensorIndex tensor) const;

  /// An op that cannot be split so is not split.
  void split(workload::OpIndex op, std::optional<workload::FactorIndex> factor);
  /// The result stays split by `factor` where it has it.
  void keep(const workload::TensorUse &result,
            std::optional<workload::FactorIndex> factor);
  /// An op before the head works on the positions that its rank has, or on
  /// all.
  void followInputs(workload::OpIndex index, bool byPositions);
  /// An op behind the head splits what its operands are split by.
  void followResults(workload::OpIndex index);

  const LayoutRules &rules;
  const workload::Block &block;
  const int64_t ranks;
  BlockShapes shapes;
  BlockLayout &layout;
};

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_BLOCKADAPTER_H
