// SPDX-License-Identifier: Apache-2.0
//
// Messages are grouped by distance: shards of one distance are a bijection,
// because the target of a source is as far from it for all of them. Where
// positions count backwards, targets are numbered from the end, so that one
// distance is again enough for windows that stay near their mirror image.

#include "shardsmith/Sharding/HaloExchange.h"

#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace shardsmith {
namespace {

/// With more distances all shards are gathered: each distance is a message of
/// its own, and takes its latency.
constexpr int64_t mostDistances = 32;

/// Elements [begin, end).
struct Interval {
  int64_t begin = 0, end = 0;

  bool isEmpty() const { return begin >= end; }
};

class Planner {
public:
  Planner(const Neighbourhood &neighbourhood, FactorKind kind, int64_t shards)
      : reach(neighbourhood.reach), shards(shards),
        positionsPerShard(ceilDivide(neighbourhood.positions, shards)) {
    plan.shards = shards;
    plan.elements = neighbourhood.elements;
    plan.shardSize = ceilDivide(neighbourhood.elements, shards);
    plan.dilation = reach.dilation;
    plan.isMirrored = reach.step < 0;
    counted = kind == FactorKind::Reduction ? shards * positionsPerShard
                                            : neighbourhood.positions;
  }

  HaloExchange run() {
    findRanges();
    findNeeds();
    findUniformity();
    if (plan.isUniform)
      addUniformMessages();
    else
      addMessages();
    if (plan.countSent() > (shards - 1) * plan.shardSize)
      plan.gathers = true;
    if (plan.gathers)
      plan.messages.clear();
    return std::move(plan);
  }

private:
  /// The dilated positions that positions [from, to] of the factor read.
  Interval readBy(int64_t from, int64_t to) const {
    int64_t one = reach.first + from * reach.step;
    int64_t other = reach.first + to * reach.step;
    return {std::min(one, other), std::max(one, other) + reach.extent};
  }

  Interval elementsIn(Interval dilated) const {
    return {divideCeilSigned(dilated.begin, reach.dilation),
            divideFloorSigned(dilated.end - 1, reach.dilation) + 1};
  }

  void findRanges() {
    std::vector<Interval> read;
    for (int64_t shard = 0; shard < shards; ++shard) {
      int64_t from = shard * positionsPerShard;
      read.push_back(readBy(from, from + positionsPerShard - 1));
      plan.first.push_back(elementsIn(read.back()).begin);
      plan.lead.push_back(plan.first.back() * reach.dilation -
                          read.back().begin);
    }
    plan.span = read.front().end - read.front().begin;
    plan.isAligned = all_equal(plan.lead);
    for (const Interval &each : read) {
      Interval elements = elementsIn(each);
      plan.size = std::max(plan.size, elements.end - elements.begin);
    }
  }

  void findNeeds() {
    for (int64_t shard = 0; shard < shards; ++shard) {
      int64_t from = shard * positionsPerShard;
      int64_t to = std::min(counted, from + positionsPerShard) - 1;
      Interval &need = needs.emplace_back();
      if (to < from)
        continue;
      Interval reached = elementsIn(readBy(from, to));
      plan.reachesBelow |= reached.begin < 0;
      plan.reachesAbove |= reached.end > plan.elements;
      need = {std::max<int64_t>(reached.begin, 0),
              std::min(reached.end, plan.elements)};
    }
  }

  /// Number of a target as distances count it.
  int64_t numberOf(int64_t target) const {
    return plan.isMirrored ? shards - 1 - target : target;
  }

  void findUniformity() {
    auto offsetOf = [&](int64_t target) {
      return plan.first[target] - numberOf(target) * plan.shardSize;
    };
    for (int64_t target = 0; target < shards; ++target)
      plan.isUniform &= offsetOf(target) == offsetOf(0);
  }

  /// The part of the source's shard that the target needs, within the shard.
  Interval neededOf(int64_t source, int64_t target) const {
    int64_t begin = source * plan.shardSize;
    return {std::max(needs[target].begin, begin) - begin,
            std::min(needs[target].end, begin + plan.shardSize) - begin};
  }

  HaloMessage &messageOf(int64_t distance, int64_t source, int64_t target) {
    HaloMessage &message = byDistance[distance];
    message.distance = distance;
    message.shards.push_back({source, target});
    return message;
  }

  /// True if there would be too many.
  bool collect() {
    for (int64_t target = 0; target < shards; ++target) {
      const Interval &need = needs[target];
      if (need.isEmpty())
        continue;
      int64_t last = (need.end - 1) / plan.shardSize;
      for (int64_t source = need.begin / plan.shardSize; source <= last;
           ++source) {
        Interval needed = neededOf(source, target);
        HaloMessage &message =
            messageOf(source - numberOf(target), source, target);
        int64_t end = std::max(message.begin + message.size, needed.end);
        message.begin = message.shards.size() == 1
                            ? needed.begin
                            : std::min(message.begin, needed.begin);
        message.size = end - message.begin;
        if (int64_t(byDistance.size()) > mostDistances)
          return false;
      }
    }
    return true;
  }

  void addMessages() {
    plan.gathers = !collect();
    for (auto &[distance, message] : byDistance) {
      // Numbered from the end, only the middle shard is its own source.
      message.communicates = distance != 0 || (plan.isMirrored && shards != 1);
      plan.messages.push_back(std::move(message));
    }
  }

  /// All that a range and a shard have in common, so that messages and what
  /// is filled in between make up the range.
  void addUniformMessages() {
    addMessages();
    for (HaloMessage &message : plan.messages) {
      int64_t place = message.distance * plan.shardSize - plan.first[0] +
                      numberOf(0) * plan.shardSize;
      int64_t end = std::min(plan.shardSize, plan.size - place);
      message.begin = std::max<int64_t>(0, -place);
      message.size = end - message.begin;
    }
  }

  Reach reach;
  int64_t shards;
  int64_t positionsPerShard;
  /// Positions from here on hold nothing that counts.
  int64_t counted;
  std::vector<Interval> needs;
  std::map<int64_t, HaloMessage> byDistance;
  HaloExchange plan;
};

} // namespace

int64_t HaloExchange::placeOf(const HaloMessage &message,
                              int64_t target) const {
  int64_t number = isMirrored ? shards - 1 - target : target;
  int64_t source = number + message.distance;
  return source * shardSize + message.begin - first[target];
}

int64_t HaloExchange::countSent() const {
  if (gathers)
    return (shards - 1) * shardSize;
  int64_t count = 0;
  for (const HaloMessage &message : messages)
    if (message.communicates)
      count += message.size;
  return count;
}

HaloExchange planHaloExchange(const Neighbourhood &neighbourhood,
                              FactorKind kind, int64_t shards) {
  return Planner(neighbourhood, kind, shards).run();
}

} // namespace shardsmith
