// SPDX-License-Identifier: Apache-2.0

#include "BlockSum.h"

#include "shardsmith/Plan/BlockTable.h"

#include <array>

namespace shardsmith {

using namespace blocks;

namespace {

enum Number : size_t {
  Forward,
  BackwardInput,
  BackwardWeight,
  ForwardCommunication,
  BackwardCommunication,
  FirstRecompute,
  FirstSaved = FirstRecompute + recomputeChoices,
  DenseParameters = FirstSaved + recomputeChoices,
  ExpertParameters,
  PartialParameters,
  OutputBytes,
  Transient,
  numberCount
};

/// Above this, numbers are as good as without end; far fewer are summed up than
/// it takes to overflow.
constexpr int64_t endless = int64_t(1) << 52;

/// Numbers of a layout, or the least of each that several have.
struct Numbers {
  std::array<int64_t, numberCount> values;

  Numbers() { values.fill(endless); }

  explicit Numbers(const UnitCosts &costs) {
    values[Forward] = costs.forward.count();
    values[BackwardInput] = costs.backwardInput.count();
    values[BackwardWeight] = costs.backwardWeight.count();
    values[ForwardCommunication] = costs.forwardCommunication.total().count();
    values[BackwardCommunication] = costs.backwardCommunication.total().count();
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      values[FirstRecompute + choice] = costs.recompute[choice].count();
      values[FirstSaved + choice] = costs.saved[choice].count();
    }
    values[DenseParameters] = costs.denseParameters;
    values[ExpertParameters] = costs.expertParameters;
    values[PartialParameters] = costs.partialParameters;
    values[OutputBytes] = costs.outputBytes.count();
    values[Transient] = costs.transient.count();
    for (int64_t &value : values)
      value = std::min(value, endless);
  }

  void takeLess(const Numbers &other) {
    for (size_t i = 0; i < numberCount; ++i)
      values[i] = std::min(values[i], other.values[i]);
  }

  UnitCosts costs() const {
    UnitCosts costs;
    costs.forward = Nanoseconds(values[Forward]);
    costs.backwardInput = Nanoseconds(values[BackwardInput]);
    costs.backwardWeight = Nanoseconds(values[BackwardWeight]);
    costs.forwardCommunication.tensor =
        Nanoseconds(values[ForwardCommunication]);
    costs.backwardCommunication.tensor =
        Nanoseconds(values[BackwardCommunication]);
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      costs.recompute[choice] = Nanoseconds(values[FirstRecompute + choice]);
      costs.saved[choice] = Bytes(values[FirstSaved + choice]);
    }
    costs.denseParameters = values[DenseParameters];
    costs.expertParameters = values[ExpertParameters];
    costs.partialParameters = values[PartialParameters];
    costs.outputBytes = Bytes(values[OutputBytes]);
    costs.transient = Bytes(values[Transient]);
    return costs;
  }
};

/// Numbers as the entries of a `TableSum` over a block.
class LeastNumbers {
public:
  using Entry = Numbers;
  static constexpr bool countsMemory = true;

  static Entry nothing() { return Entry(UnitCosts()); }
  static bool isPossible(const Entry &entry) {
    return entry.values[Forward] < endless;
  }
  void offer(Entry &entry, const UnitCosts &costs, Decision) const {
    entry.takeLess(Entry(costs));
  }
  static void addSums(Entry &best, const Entry &a, Entry b) {
    if (!isPossible(a) || !isPossible(b))
      return;
    for (size_t i = 0; i < Transient; ++i)
      b.values[i] += a.values[i];
    b.values[Transient] = std::max(a.values[Transient], b.values[Transient]);
    best.takeLess(b);
  }
};

} // namespace

UnitCosts leastUnit(const UnitCostModel &model, bool repeatable) {
  LeastNumbers costs;
  Numbers least;
  BlockSum<LeastNumbers>(model, costs, repeatable)
      .visitBorders([&](const Numbers &numbers) { least.takeLess(numbers); });
  return model.finishLeast(least.costs());
}

} // namespace shardsmith
