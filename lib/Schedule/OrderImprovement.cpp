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
  Improvement(OrderPlayer &player, RatedOrder start, uint64_t seed)
      : player(player), current(start), best(std::move(start)), random(seed),
        accepted(memoryLength, current.cost) {}

  RatedOrder run(int64_t effort, Nanoseconds aim) {
    int64_t end = player.played() + effort;
    findCritical();
    // Moves that change nothing, or break something, cost no play.
    for (int64_t turn = 0;
         player.played() < end && turn < effort && best.cost.period > aim;
         ++turn)
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
    std::vector<Pass> &passes = current.order[move->rank];
    apply(passes, move->from, move->to);
    std::optional<OrderCost> cost;
    if (player.fits(passes, move->rank))
      cost = player.play(current.order);
    bool keeps = cost && (*cost <= current.cost || *cost <= accepted[memory]);
    if (keeps) {
      current.cost = *cost;
      findCritical();
    } else {
      apply(passes, move->to, move->from);
    }
    accepted[memory] = current.cost;
    if (current.cost < best.cost)
      best = current;
  }

  OrderPlayer &player;
  RatedOrder current, best;
  std::mt19937_64 random;
  /// What the last orders cost.
  std::vector<OrderCost> accepted;
  /// Rank and index of passes of the current order on its critical path.
  std::vector<std::pair<size_t, size_t>> critical;
};

} // namespace

RatedOrder improve(OrderPlayer &player, RatedOrder from, int64_t effort,
                   Nanoseconds aim, uint64_t seed) {
  player.play(from.order);
  return Improvement(player, std::move(from), seed).run(effort, aim);
}

} // namespace shardsmith::schedule
