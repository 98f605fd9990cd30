// SPDX-License-Identifier: Apache-2.0

#include "BlockSum.h"

#include "shardsmith/Plan/BlockTable.h"

namespace shardsmith {

using namespace blocks;

namespace {

/// Times as the entries of a `TableSum` over a block.
class LeastTime {
public:
  struct Entry {
    Nanoseconds time = Nanoseconds::saturated();
  };
  static constexpr bool countsMemory = false;

  explicit LeastTime(Recompute choice) : choice(choice) {}

  static Entry nothing() { return {Nanoseconds()}; }
  static bool isPossible(Entry entry) { return !entry.time.isSaturated(); }
  void offer(Entry &entry, const UnitCosts &costs, Decision) const {
    Nanoseconds time = costs.forward + costs.forwardCommunication.total() +
                       costs.backward(choice);
    entry.time = std::min(entry.time, time);
  }
  static void addSums(Entry &best, Entry a, Entry b) {
    best.time = std::min(best.time, a.time + b.time);
  }

private:
  Recompute choice;
};

} // namespace

Nanoseconds fastestUnit(const UnitCostModel &model, Recompute choice,
                        bool repeatable) {
  LeastTime costs(choice);
  UnitCosts least;
  least.backwardInput = Nanoseconds::saturated();
  BlockSum<LeastTime>(model, costs, repeatable)
      .visitBorders([&](LeastTime::Entry entry) {
        least.backwardInput = std::min(least.backwardInput, entry.time);
      });
  // The work of recomputing is in the sum; its launches are not.
  UnitCosts finished = model.finish(least);
  return finished.forward + finished.backwardInput +
         finished.recompute[size_t(choice)];
}

} // namespace shardsmith
