// SPDX-License-Identifier: Apache-2.0

#include "BlockSum.h"
#include "ParetoFront.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

namespace shardsmith {

using namespace blocks;

namespace {

/// The most of each number that parts of layouts have; nothing if there is no
/// such part.
class MostCosts {
public:
  struct Numbers {
    /// Saved bytes with each way of recomputing, output, dense and expert
    /// parameters.
    std::array<int64_t, recomputeChoices + 3> sums = {};
    int64_t transient = 0;
  };
  using Entry = std::optional<Numbers>;
  static constexpr bool countsMemory = true;

  explicit MostCosts(const UnitCostModel &model) : model(model) {}

  static Entry nothing() { return Numbers(); }
  static bool isPossible(const Entry &entry) { return entry.has_value(); }

  template <typename PriceOn>
  void offer(Entry &most, PriceOn priceOn, Decision) const {
    const UnitCosts &costs = priceOn(model);
    if (costs.forward.isSaturated())
      return;
    Numbers numbers;
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      numbers.sums[choice] = costs.saved[choice].count();
    numbers.sums[recomputeChoices] = costs.outputBytes.count();
    numbers.sums[recomputeChoices + 1] = costs.denseParameters;
    numbers.sums[recomputeChoices + 2] = costs.expertParameters;
    numbers.transient = costs.transient.count();
    takeMore(most, numbers);
  }
  static void addSums(Entry &most, const Entry &a, const Entry &b) {
    if (!a || !b)
      return;
    Numbers sum = *a;
    addUp(sum.sums, b->sums);
    sum.transient = std::max(sum.transient, b->transient);
    takeMore(most, sum);
  }

  static UnitCosts costsOf(const Entry &most) {
    UnitCosts costs;
    if (!most)
      return costs;
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      costs.saved[choice] = Bytes(most->sums[choice]);
    costs.outputBytes = Bytes(most->sums[recomputeChoices]);
    costs.denseParameters = most->sums[recomputeChoices + 1];
    costs.expertParameters = most->sums[recomputeChoices + 2];
    costs.transient = Bytes(most->transient);
    return costs;
  }
  static void takeMore(Entry &most, const Numbers &numbers) {
    if (!most)
      most = numbers;
    for (size_t i = 0; i < numbers.sums.size(); ++i)
      most->sums[i] = std::max(most->sums[i], numbers.sums[i]);
    most->transient = std::max(most->transient, numbers.transient);
  }

private:
  const UnitCostModel &model;
};

} // namespace

UnitCosts mostMemory(const UnitCostModel &model, bool repeatable,
                     const SumLimits &limits) {
  MostCosts costs(model);
  BlockSum<MostCosts> sum(model, costs, repeatable,
                          ReadingSets::AtLeastThoseRead, &limits);
  MostCosts::Entry most;
  sum.visitBorders([&](const MostCosts::Entry &border) {
    if (border)
      MostCosts::takeMore(most, *border);
  });
  UnitCosts all = MostCosts::costsOf(most);
  all.shared = model.mostShared();
  return all;
}

} // namespace shardsmith
