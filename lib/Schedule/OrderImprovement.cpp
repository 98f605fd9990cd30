// SPDX-License-Identifier: Apache-2.0

#include "OrderImprovement.h"

#include <algorithm>
#include <random>

namespace shardsmith::schedule {
namespace {

/// How many changes back a changed order is compared with.
constexpr size_t memoryLength = 64;
/// The furthest that a pass moves at once.
constexpr size_t longestMove = 8;

/// A pass of a rank's list that moves from one place to another.
struct Move {
  size_t rank = 0, from = 0, to = 0;
};

class Improvement {
public:
  Improvement(OrderPlayer &player, RatedOrder start,
              const ImprovementOptions &options)
      : player(player), options(options), current(start),
        best(std::move(start)), random(options.seed),
        accepted(memoryLength, current.cost) {}

  RatedOrder run(int64_t effort, Nanoseconds aim) {
    int64_t end = player.played() + effort;
    findCritical();
    // Moves that change nothing, or break something, cost no play.
    for (int64_t turn = 0;
         player.played() < end && turn < effort && best.cost.period > aim;
         ++turn)
      if (options.pairsPasses && below(8) == 0)
        tryPairing(size_t(turn) % memoryLength);
      else
        tryMove(size_t(turn) % memoryLength);
    return std::move(best);
  }

private:
  size_t below(size_t bound) { return size_t(random() % bound); }

  /// Of the order that was played last, which must be the current one.
  void findCritical() {
    critical.clear();
    player.walkCriticalPath(
        [&](size_t rank, size_t index) { critical.push_back({rank, index}); });
  }

  std::optional<Move> proposed() {
    Move move;
    size_t distance = 1 + below(longestMove);
    if (distance > 1)
      distance = 1 + below(distance);
    bool alongPath = !critical.empty() && below(4) > 0;
    if (alongPath) {
      std::tie(move.rank, move.from) = critical[below(critical.size())];
      move.to = move.from - std::min(move.from, distance);
    } else {
      move.rank = below(current.order.size());
      size_t length = current.order[move.rank].size();
      if (length == 0)
        return std::nullopt;
      move.from = below(length);
      move.to = below(2) > 0 ? std::min(move.from + distance, length - 1)
                             : move.from - std::min(move.from, distance);
    }
    const std::vector<Pass> &passes = current.order[move.rank];
    // Passes of one kind and stage are alike.
    bool changes = false;
    for (size_t i = std::min(move.from, move.to);
         i <= std::max(move.from, move.to); ++i)
      changes |= passes[i] != passes[move.from];
    return changes ? std::optional(move) : std::nullopt;
  }

  static void apply(std::vector<Pass> &passes, size_t from, size_t to) {
    auto at = [&](size_t index) { return passes.begin() + int64_t(index); };
    if (from > to)
      std::rotate(at(to), at(from), at(from + 1));
    else
      std::rotate(at(from), at(from + 1), at(to + 1));
  }

  void tryMove(size_t memory) {
    std::optional<Move> move = proposed();
    if (!move)
      return;
    apply(current.order[move->rank], move->from, move->to);
    if (!keeps(move->rank, memory))
      apply(current.order[move->rank], move->to, move->from);
  }

  /// Whether the changed list of the rank may stay.
  bool keeps(size_t rank, size_t memory) {
    std::optional<OrderCost> cost;
    if (player.fits(current.order[rank], rank))
      cost = player.play(current.order);
    bool keeps = cost && (*cost <= current.cost || *cost <= accepted[memory]);
    if (keeps) {
      current.cost = *cost;
      findCritical();
    }
    accepted[memory] = current.cost;
    if (keeps && current.cost < best.cost)
      best = current;
    return keeps;
  }

  void tryPairing(size_t memory) {
    size_t rank = below(current.order.size());
    std::vector<Pass> &passes = current.order[rank];
    if (passes.empty())
      return;
    std::vector<Pass> before = passes;
    size_t index = below(passes.size());
    bool changes =
        passes[index].backwardStage ? part(passes, index) : join(passes, index);
    if (changes && !keeps(rank, memory))
      passes = std::move(before);
  }

  /// The two passes of a pair one after the other.
  bool part(std::vector<Pass> &passes, size_t index) {
    int64_t stage = *passes[index].backwardStage;
    passes[index].backwardStage.reset();
    std::vector<Pass> parts = {{ActionKind::Backward, stage}};
    if (options.splitsBackward)
      parts = {{ActionKind::BackwardInput, stage},
               {ActionKind::BackwardWeight, stage}};
    passes.insert(passes.begin() + int64_t(index) + 1, parts.begin(),
                  parts.end());
    return true;
  }

  /// A forward pass with the nearest backward pass of another stage.
  bool join(std::vector<Pass> &passes, size_t index) {
    if (passes[index].kind != ActionKind::Forward)
      return false;
    auto suits = [&](size_t other) {
      return other < passes.size() &&
             passes[other].stage != passes[index].stage &&
             (passes[other].kind == ActionKind::Backward ||
              passes[other].kind == ActionKind::BackwardInput);
    };
    for (size_t distance = 1; distance <= longestMove; ++distance)
      for (size_t other : {index + distance, index - distance}) {
        if (!suits(other))
          continue;
        Pass backward = passes[other];
        passes[index].backwardStage = backward.stage;
        size_t behind = std::max(index, other);
        passes.erase(passes.begin() + int64_t(other));
        if (backward.kind == ActionKind::BackwardInput)
          removeWeight(passes, backward.stage, behind);
        return true;
      }
    return false;
  }

  /// The first W of the stage from `behind` on, else the last one before.
  static void removeWeight(std::vector<Pass> &passes, int64_t stage,
                           size_t behind) {
    const Pass weight{ActionKind::BackwardWeight, stage};
    auto found =
        std::find(passes.begin() + int64_t(behind), passes.end(), weight);
    if (found == passes.end()) {
      while (*--found != weight)
        ;
    }
    passes.erase(found);
  }

  OrderPlayer &player;
  const ImprovementOptions &options;
  RatedOrder current, best;
  std::mt19937_64 random;
  /// What the last orders cost.
  std::vector<OrderCost> accepted;
  /// Rank and index of passes of the current order on its critical path.
  std::vector<std::pair<size_t, size_t>> critical;
};

} // namespace

RatedOrder improve(OrderPlayer &player, RatedOrder from, int64_t effort,
                   Nanoseconds aim, const ImprovementOptions &options) {
  player.play(from.order);
  return Improvement(player, std::move(from), options).run(effort, aim);
}

} // namespace shardsmith::schedule
