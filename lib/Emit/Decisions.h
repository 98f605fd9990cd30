// SPDX-License-Identifier: Apache-2.0
//
// Questions that most targets ask about a strategy, and the words in which
// they refuse it.

#ifndef SHARDSMITH_LIB_EMIT_DECISIONS_H
#define SHARDSMITH_LIB_EMIT_DECISIONS_H

#include "Transformer.h"
#include "shardsmith/Emit/Emit.h"

#include <optional>

namespace shardsmith::emit {

/// Collects what a format cannot say.
class Refusals {
public:
  explicit Refusals(std::vector<Obstacle> &list) : list(list) {}

  void add(std::string decision, std::string nearest = "") {
    list.push_back({std::move(decision), std::move(nearest)});
  }

  /// Axes of degree 1 count for nothing. `orders`: those that the runtime
  /// numbers devices in, neighbours first.
  void requireOrder(const Strategy &strategy,
                    std::span<const std::vector<PlanAxis>> orders);
  void requireNo(Degree degree, const Strategy &strategy);
  /// Ranks along no other axes than these, and none that share experts. A
  /// further axis is refused until a format says that it has it.
  void requireOnly(std::initializer_list<Degree> known,
                   const Strategy &strategy);
  /// For formats in which recomputation is the model's own code.
  void requireNoRecompute(const Strategy &strategy);
  /// Every data rank has as many sequences as any other, and every micro-batch
  /// is full.
  void requireEvenBatch(const EmitInput &input);
  /// The model as a chain of equal layers.
  std::optional<Transformer> requireTransformer(const EmitInput &input);
  /// The schedule of a pipeline as a file with its table.
  std::optional<StreamedFile> requireTable(const EmitInput &input,
                                           std::string_view name);
  /// There is a device for every rank, and all are of one kind.
  void requireOneKind(const EmitInput &input);
  /// Of plans on one kind: the levels of the network, where ranks fill each of
  /// them evenly, so that each domain has as many of the level below.
  std::optional<std::vector<PathLevel>>
  requireEvenLevels(const EmitInput &input);
  /// All ranks share one copy under ZeRO.
  void requireOneZeroGroup(const Strategy &strategy);

private:
  std::vector<Obstacle> &list;
};

/// Micro-batches of each data rank per step.
int64_t microBatchesOf(const EmitInput &input);
/// Ranks that share one copy of what ZeRO splits; 1 without ZeRO.
int64_t zeroRanks(const Strategy &strategy);

/// The choice that all layers share, if they do. What is outside of layers
/// does not count.
std::optional<Recompute> commonRecompute(const Strategy &strategy,
                                         const Transformer &chain);

/// Whether the activations between layers are split by positions over the
/// tensor axis.
bool splitsPositions(const EmitInput &input);

/// Whether matrices of experts are split over the tensor axis; nothing if
/// there are none, or some are and some are not.
std::optional<bool> splitsExperts(const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_DECISIONS_H
