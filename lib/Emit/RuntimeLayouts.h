// SPDX-License-Identifier: Apache-2.0
//
// Layouts that runtimes for transformers choose by themselves once they are
// told the tensor degree. Within layers they agree: attention is split by
// heads, matrices by columns where activations come in whole and by rows where
// they go out. They differ in what stands around the layers:
//
//     token table     by rows of the table, or whole
//     head            by columns with a loss over parts of the vocabulary, by
//                     columns with results gathered, or whole
//     between layers  activations whole, or split by positions
//
// A layout that is otherwise within a layer is an obstacle; one that is
// otherwise around layers can be adapted.

#ifndef SHARDSMITH_LIB_EMIT_RUNTIMELAYOUTS_H
#define SHARDSMITH_LIB_EMIT_RUNTIMELAYOUTS_H

#include "Decisions.h"

namespace shardsmith::emit {

struct LayoutRules {
  enum class Table { Rows, Whole };
  enum class Head { Columns, GatheredColumns, Whole };
  Table table = Table::Rows;
  Head head = Head::Columns;
  /// Whether activations between layers may be split by positions.
  bool maySplitPositions = true;
  /// Whether ranks must divide the columns of the head, which is whole where
  /// they do not; others pad it, or take parts of different sizes.
  bool evenHead = false;
};

/// The columns of the head behind the layers, one for each word of the
/// vocabulary; nothing if there is no such product.
std::optional<int64_t> headColumns(const workload::Workload &workload);

/// The strategy with the layouts around layers that the rules say.
Strategy withLayoutsOf(const LayoutRules &rules, const EmitInput &input);

/// Nothing outside of layers is computed again.
Strategy withRecomputeInLayersOnly(Strategy strategy, const Transformer &chain);

/// Names the first layout within layers, and between them, that no runtime of
/// these rules has.
void requireLayouts(const LayoutRules &rules, const EmitInput &input,
                    Refusals &refusals);

/// One change for each parameter whose layout differs; for a block in which
/// only other layouts differ, one for the block.
std::vector<Change> describeLayoutChanges(const workload::Workload &workload,
                                          const PlanDocument &document,
                                          const Strategy &before,
                                          const Strategy &after);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_RUNTIMELAYOUTS_H
