// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/IdleTable.h"
#include "IdleSums.h"
#include "TableBuilder.h"

namespace shardsmith {

using namespace workload;
using namespace blocks;

namespace {

/// What the forward pass takes longer may count as less idle.
constexpr ReadingSets sets = ReadingSets::ThoseRead;

constexpr double endless = std::numeric_limits<double>::infinity();

/// Sums of doubles are rounded, and so are finished times.
double withSlack(double limit) { return limit + std::abs(limit) * 1e-9 + 4; }

/// Both passes with the fastest way of recomputing.
double timeOf(const UnitCosts &costs,
              const std::array<bool, recomputeChoices> &allowed) {
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (allowed[choice])
      least = std::min(least, costs.backward(Recompute(choice)));
  Nanoseconds time = costs.forward + costs.forwardCommunication.total() + least;
  return time.isSaturated() ? endless : double(time.count());
}

} // namespace

/// The least time and share, each on its own.
struct IdleTable::Least {
  double time = endless, share = endless;
};

class IdleTable::LeastCosts {
public:
  using Entry = Least;
  static constexpr bool countsMemory = false, isRemembered = true;

  explicit LeastCosts(const IdleTable &table) : table(table) {}

  static Entry nothing() { return {0, 0}; }
  static bool isPossible(const Entry &entry) { return entry.time < endless; }
  void offer(Entry &entry, const UnitCosts &costs, Decision) const {
    double time = timeOf(costs, table.measure.recompute);
    Nanoseconds forward = costs.forward + costs.forwardCommunication.total();
    takeLess(entry,
             {time, table.shareOf(time, double(costs.backwardWeight.count()),
                                  double(forward.count()))});
  }
  static void addSums(Entry &best, const Entry &a, const Entry &b) {
    takeLess(best, {a.time + b.time, a.share + b.share});
  }

private:
  static void takeLess(Entry &entry, const Entry &other) {
    entry.time = std::min(entry.time, other.time);
    entry.share = std::min(entry.share, other.share);
  }

  const IdleTable &table;
};

struct IdleTable::LeastSum {
  LeastCosts costs;
  BlockSum<LeastCosts> block;

  explicit LeastSum(const IdleTable &table)
      : costs(table), block(table.model, costs, table.repeatable, sets) {}
};

IdleTable::~IdleTable() = default;

/// Fronts without what is above the limits with the best rest.
class IdleTable::LimitedCosts : public FrontCosts<IdleSums> {
public:
  LimitedCosts(const IdleTable &table, double mostTime, double mostShare,
               int64_t &effort)
      : table(table), mostTime(withSlack(mostTime)),
        mostShare(withSlack(mostShare)), effort(effort), grains(table.model),
        numbers(table.measure, table.leastGrowth) {}

  void offer(Entry &front, const UnitCosts &costs, Decision decision) {
    IdleSums sums;
    std::ranges::copy(PlainSums(costs, grains).values, sums.values.begin());
    numbers.set(sums, costs, false);
    offerPart(front, sums, grains.ofBytes(costs.transient), decision);
  }
  void setFinished(IdleSums &sums, const UnitCosts &costs) const {
    PlainSums plain;
    plain.setTimes(costs);
    std::copy_n(plain.values.begin(), recomputeChoices, sums.values.begin());
    numbers.set(sums, costs, true);
  }

  void addSums(Entry &best, const Entry &a, const Entry &b) {
    if (effort < 0)
      return;
    auto sums = int64_t(a.size() * b.size());
    effort -= sums;
    best.offerSums(a, b, decisions);
    // Each sum is compared with all that are there.
    effort -= sums * int64_t(best.size());
  }

  void trim(size_t index, size_t position, Entry &front) const {
    const Least &beside = table.beside[index][position];
    double time = mostTime - beside.time;
    double share = mostShare - beside.share;
    const auto &allowed = table.measure.recompute;
    front.trim([&](const IdleSums &sums) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (size_t choice = 0; choice < recomputeChoices; ++choice)
        if (allowed[choice])
          least = std::min(least, sums.values[choice]);
      return !(double(least) <= time) ||
             !(table.shareOf(double(least),
                             double(sums.values[IdleSums::weight]),
                             double(sums.values[IdleSums::forward])) <= share);
    });
  }

private:
  const IdleTable &table;
  double mostTime, mostShare;
  int64_t &effort;
  Grains grains;
  IdleNumbers numbers;
};

IdleTable::IdleTable(const UnitCostModel &model, bool repeatable,
                     const IdleMeasure &measure)
    : model(model), repeatable(repeatable), measure(measure) {
  Nanoseconds least = model.leastOps();
  anchor = double(least.count());
  finishedAnchor = double(model.launches().finished(least).count());
  growth = model.launches().growth(least, false);
  leastGrowth = model.launches().growth(least, true);
  time = share = endless;
  sum = std::make_unique<LeastSum>(*this);
  sum->block.visitBorders([&](const Least &each) {
    time = std::min(time, each.time);
    share = std::min(share, each.share);
  });
}

double IdleTable::shareOf(double time, double backwardWeight,
                          double forward) const {
  return growth * time - measure.shares.backwardWeight * backwardWeight -
         measure.shares.forward * forward;
}

double IdleTable::leastTime() const {
  if (!(time < endless))
    return time;
  return double(model.launches().finished(Nanoseconds(int64_t(time))).count());
}

// What the forward pass waits for counts in full, whatever it is.
double IdleTable::leastShare() const {
  return share + finishedAnchor - growth * anchor -
         measure.shares.forward *
             double(model.launches().longestForwardWait().count());
}

std::optional<std::vector<BlockEntry>>
IdleTable::entries(double mostTime, double mostShare, int64_t &effort) {
  if (beside.empty())
    beside = sum->block.completions();
  constexpr double longest = 4e18;
  Nanoseconds device = model.launches().longestDevice(
      Nanoseconds(int64_t(std::clamp(mostTime, -1.0, longest))));
  LimitedCosts costs(*this, double(device.count()),
                     mostShare - leastShare() + share, effort);
  std::vector<BlockEntry> entries =
      TableBuilder<LimitedCosts>(model, costs, repeatable, sets).run();
  if (effort < 0)
    return std::nullopt;
  return entries;
}

} // namespace shardsmith
