// SPDX-License-Identifier: Apache-2.0

#include "ExposedExchange.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsmith::search {

namespace {

/// Of the few nanoseconds that a rank's time is made of.
constexpr double rounding = 4;

/// An item of the knapsack, of which parts may be taken: how many there are,
/// what one is worth, and what one takes.
struct Item {
  double count, worth, takes;
};

/// The knapsack with parts of items: the greatest worth of items that together
/// take no more than the capacity.
double mostWorth(std::vector<Item> items, double room) {
  std::ranges::sort(items, [](const Item &a, const Item &b) {
    return a.worth * b.takes > b.worth * a.takes;
  });
  double sum = 0;
  for (const Item &item : items) {
    double count = std::min(item.count, room / item.takes);
    sum += count * item.worth;
    room -= count * item.takes;
  }
  return sum;
}

} // namespace

ExposedExchange::ExposedExchange(const LayoutList &known, const Chain &chain,
                                 unsigned pools, double neverHidden)
    : neverHidden(neverHidden), unitsOn(pools) {
  const std::vector<int64_t> &counts = chain.unitsOfBlocks();
  for (unsigned pool = 0; pool < pools; ++pool)
    for (size_t block = 0; block < counts.size(); ++block) {
      Units units;
      units.count = double(counts[block]);
      units.kernels = units.time = std::numeric_limits<double>::infinity();
      for (const std::vector<UnitCosts> &entry : known.tableOf(block).costs) {
        const UnitCosts &costs = entry[pool];
        auto kernels =
            double((costs.forward + costs.backwardInput + costs.backwardWeight)
                       .count());
        auto communication = double((costs.forwardCommunication.sum() +
                                     costs.backwardCommunication.sum())
                                        .count());
        units.kernels = std::min(units.kernels, kernels);
        units.communication = std::max(units.communication, communication);
        units.time =
            std::min(units.time, std::max(kernels + communication, 1.0));
        // Counts parameters as if no two units shared any, which is no less
        // than what the rank holds.
        StageWork &most = units.parameters;
        SharedParameters all = parametersOfUnit(costs);
        most.denseParameters = std::max(most.denseParameters, all.dense);
        most.expertParameters = std::max(most.expertParameters, all.expert);
        most.partialParameters = std::max(most.partialParameters, all.partial);
        most.denseUses = most.denseParameters;
        most.expertUses = most.expertParameters;
        mostOutput = std::max(mostOutput, costs.outputBytes);
        for (const SharedParameters &each : costs.shared) {
          auto known =
              std::ranges::find(units.shared, each.of, &SharedParameters::of);
          if (known == units.shared.end())
            known = units.shared.insert(known, each);
          known->dense = std::max(known->dense, each.dense);
          known->expert = std::max(known->expert, each.expert);
        }
      }
      unitsOn[pool].push_back(units);
    }
}

Nanoseconds ExposedExchange::mostHandedOn(const StepModel &model,
                                          const Strategy &outer,
                                          const PipelineLinks &links) const {
  Nanoseconds most;
  for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
    Nanoseconds sum;
    for (const GroupPath *path : links.ofRank(rank))
      sum += model.time({mostOutput, path});
    most = std::max(most, sum);
  }
  return most;
}

// Exchanging parts one by one takes no less than exchanging them at once.
Nanoseconds ExposedExchange::mostShared(const StepModel &model,
                                        const PipelineLinks &links) const {
  Nanoseconds most;
  for (const std::vector<Units> &onPool : unitsOn) {
    Nanoseconds sum;
    for (const Units &units : onPool)
      for (const SharedParameters &each : units.shared) {
        StageWork one;
        one.shared = {{each, 1}};
        auto count = std::min(int64_t(units.count), each.of.tensors);
        sum += model.sharedExchange(one, links.slowest()) * count;
      }
    most = std::max(most, sum);
  }
  return most;
}

bool ExposedExchange::mayExceed(Nanoseconds most, const StepModel &model,
                                const Strategy &outer,
                                const StepModel::Totals &least,
                                Nanoseconds handedOn,
                                Nanoseconds shared) const {
  auto work = double(model.longestWork(most).count());
  auto batches = double(model.microBatches());
  double longest = work / batches;
  Nanoseconds tail;
  double wait = 0;
  for (unsigned pool = 0; pool < unitsOn.size(); ++pool) {
    tail = std::max(tail, mostTail(model, pool, longest));
    wait = std::max(wait, mostWait(model, pool, longest));
  }
  tail += shared;
  double left =
      std::max((work - double(tail.count())) / (batches + model.mostBubble()),
               double(least.perMicroBatch.count()));
  return wait + double(handedOn.count()) > left * (1 - 1e-9) - rounding;
}

double ExposedExchange::mostWait(const StepModel &model, unsigned pool,
                                 double perMicroBatch) const {
  double sum = 0, hidden = rounding;
  std::vector<Item> hiding;
  for (const Units &units : unitsOn[pool]) {
    // Exchanging parameters unit by unit takes no less than exchanging their
    // sum at once.
    auto exchange =
        double(model.times(pool, units.parameters, {}).exchange.count());
    double wait = units.communication + exchange;
    double hides = units.kernels - (1 - neverHidden) * exchange;
    double count =
        std::min(units.count, std::floor(perMicroBatch / units.time));
    if (hides > 0) {
      hiding.push_back({count, wait, hides});
    } else {
      sum += count * wait;
      hidden -= count * hides;
    }
  }
  return sum + mostWorth(std::move(hiding), hidden);
}

Nanoseconds ExposedExchange::mostTail(const StepModel &model, unsigned pool,
                                      double perMicroBatch) const {
  auto most = [&](int64_t StageWork::*parameters) {
    std::vector<Item> items;
    for (const Units &units : unitsOn[pool])
      items.push_back(
          {units.count, double(units.parameters.*parameters), units.time});
    double sum = std::ceil(mostWorth(std::move(items), perMicroBatch));
    return sum < 9e18 ? int64_t(sum) : std::numeric_limits<int64_t>::max();
  };
  StageWork work;
  work.denseParameters = most(&StageWork::denseParameters);
  work.expertParameters = most(&StageWork::expertParameters);
  work.partialParameters = most(&StageWork::partialParameters);
  work.denseUses = work.denseParameters;
  work.expertUses = work.expertParameters;
  return model.times(pool, work, {}).tail();
}

} // namespace shardsmith::search
