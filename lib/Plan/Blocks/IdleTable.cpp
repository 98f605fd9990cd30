// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/IdleTable.h"
#include "IdleSums.h"
#include "PerKind.h"
#include "TableBuilder.h"

namespace shardsmith {

using namespace workload;
using namespace blocks;

namespace {

/// A longer forward pass may count as less idle, so tensors are available in
/// exactly the layouts that are read.
constexpr ReadingSets sets = ReadingSets::ThoseRead;

constexpr double endless = std::numeric_limits<double>::infinity();

/// Sums of doubles are rounded, and so are finished times.
double withSlack(double limit) { return limit + std::abs(limit) * 1e-9 + 4; }

/// The time of both passes with the fastest way of recomputing that is allowed.
double timeOf(const UnitCosts &costs,
              const std::array<bool, recomputeChoices> &allowed) {
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (allowed[choice])
      least = std::min(least, costs.backward(Recompute(choice)));
  Nanoseconds time = costs.forward + costs.forwardCommunication.sum() + least;
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

  explicit LeastCosts(const OnKind &kind) : kind(kind) {}

  static Entry nothing() { return {0, 0}; }
  static bool isPossible(const Entry &entry) { return entry.time < endless; }
  template <typename PriceOn>
  void offer(Entry &entry, PriceOn priceOn, Decision) const;
  static void addSums(Entry &best, const Entry &a, const Entry &b) {
    takeLess(best, {a.time + b.time, a.share + b.share});
  }

private:
  static void takeLess(Entry &entry, const Entry &other) {
    entry.time = std::min(entry.time, other.time);
    entry.share = std::min(entry.share, other.share);
  }

  const OnKind &kind;
};

struct IdleTable::LeastSum {
  LeastCosts costs;
  BlockSum<LeastCosts> block;

  LeastSum(const OnKind &kind, const UnitCostModel &model, bool repeatable)
      : costs(kind), block(model, costs, repeatable, sets) {}
};

/// Times and shares on one kind of device.
class IdleTable::OnKind {
public:
  OnKind(const Kind &kind, bool repeatable)
      : model(*kind.model), measure(kind.measure) {
    Nanoseconds ops = model.leastOps();
    anchor = double(ops.count());
    finishedAnchor = double(model.launches().finished(ops).count());
    growth = model.launches().growth(ops, false);
    leastGrowth = model.launches().growth(ops, true);
    sum = std::make_unique<LeastSum>(*this, model, repeatable);
    sum->block.visitBorders([&](const Least &each) {
      unfinished.time = std::min(unfinished.time, each.time);
      unfinished.share = std::min(unfinished.share, each.share);
    });
  }

  const UnitCostModel &pricedBy() const { return model; }
  const std::array<bool, recomputeChoices> &allowed() const {
    return measure.recompute;
  }
  IdleNumbers numbers() const { return IdleNumbers(measure, leastGrowth); }

  /// The share, as IdleTable.h defines it, of a unit with these times before
  /// the launch floor.
  double shareOf(double time, double backwardWeight, double forward) const {
    return growth * time - measure.shares.backwardWeight * backwardWeight -
           measure.shares.forward * forward;
  }

  // The waits of the forward pass for its launches count in full, since they
  // are not known yet.
  Amounts least() const {
    Amounts least{
        unfinished.time,
        unfinished.share + finishedAnchor - growth * anchor -
            measure.shares.forward *
                double(model.launches().longestForwardWait().count())};
    if (least.time < endless)
      least.time = double(
          model.launches().finished(Nanoseconds(int64_t(least.time))).count());
    return least;
  }

  /// Sets what parts of a layout may have together.
  void setMost(const Amounts &amounts) {
    constexpr double longest = 4e18;
    Nanoseconds device = model.launches().longestDevice(
        Nanoseconds(int64_t(std::clamp(amounts.time, -1.0, longest))));
    most = {withSlack(double(device.count())),
            withSlack(amounts.share - least().share + unfinished.share)};
    if (beside.empty())
      beside = sum->block.completions();
  }
  /// The most that an entry of a table may have if all else is the best there
  /// is.
  Amounts limitsOf(size_t table, size_t position) const {
    const Least &rest = beside[table][position];
    return {most.time - rest.time, most.share - rest.share};
  }
  /// The time and the share of a part of a layout.
  Amounts amountsOf(const IdleSums &sums) const {
    int64_t time = std::numeric_limits<int64_t>::max();
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      if (allowed()[choice])
        time = std::min(time, sums.values[choice]);
    return {double(time),
            shareOf(double(time), double(sums.values[IdleSums::weight]),
                    double(sums.values[IdleSums::forward]))};
  }

private:
  const UnitCostModel &model;
  IdleMeasure measure;
  /// A line below what the launch floor makes of times: it goes through
  /// `anchor`, and grows by `growth`.
  double anchor = 0, finishedAnchor = 0, growth = 1;
  /// The growth of a line that is below with every way of recomputing.
  double leastGrowth = 1;
  /// Before the launch floor.
  Least unfinished;
  std::unique_ptr<LeastSum> sum;
  /// For every entry of every table the least time and share of all else in the
  /// sum.
  std::vector<std::vector<Least>> beside;
  Amounts most;
};

template <typename PriceOn>
void IdleTable::LeastCosts::offer(Entry &entry, PriceOn priceOn,
                                  Decision) const {
  const UnitCosts &costs = priceOn(kind.pricedBy());
  double time = timeOf(costs, kind.allowed());
  Nanoseconds forward = costs.forward + costs.forwardCommunication.sum();
  takeLess(entry,
           {time, kind.shareOf(time, double(costs.backwardWeight.count()),
                               double(forward.count()))});
}

/// Fronts without what is above the limits, on all kinds, with the best rest.
template <typename Sums>
class IdleTable::LimitedCosts : public KindCosts<Sums> {
public:
  using Entry = KindCosts<Sums>::Entry;

  LimitedCosts(const IdleTable &table, int64_t &effort,
               const std::function<bool()> &mustStop)
      : KindCosts<Sums>(table.models), table(table), effort(effort),
        mustStop(mustStop), askedAt(effort) {
    for (const std::unique_ptr<OnKind> &kind : table.onKinds)
      numbers.push_back(kind->numbers());
  }

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    this->offerPriced(front, priceOn, decision,
                      [&](IdleSums &sums, size_t kind, const UnitCosts &costs) {
                        std::ranges::copy(
                            PlainSums(costs, this->grid, everyWay).values,
                            sums.values.begin());
                        numbers[kind].set(sums, costs, false);
                      });
  }
  void setFinished(Sums &sums, const BlockEntry &entry) const {
    KindCosts<Sums>::setFinished(
        sums, entry, [&](IdleSums &sums, size_t kind, const UnitCosts &costs) {
          PlainSums plain;
          plain.setTimes(costs, everyWay);
          std::copy_n(plain.values.begin(), recomputeChoices,
                      sums.values.begin());
          numbers[kind].set(sums, costs, true);
        });
  }

  void addSums(Entry &best, const Entry &a, const Entry &b) {
    if (effort < 0)
      return;
    // Effort is the number of comparisons: every sum of two layouts is compared
    // with all that are kept. It is counted while sums are made, as those of
    // two fronts of ten thousand layouts take minutes. Where fronts are small
    // most time goes into entries and their least costs.
    effort -= effortOfEntry + int64_t(a.size() * b.size());
    best.offerSums(a, b, this->decisions, [&](int64_t comparisons) {
      effort -= comparisons;
      stopInTime();
      return effort < 0;
    });
    stopInTime();
  }

  void trim(size_t index, size_t position, Entry &front) const {
    std::vector<Amounts> limits;
    for (const std::unique_ptr<OnKind> &kind : table.onKinds)
      limits.push_back(kind->limitsOf(index, position));
    front.trim([&](const Sums &sums) {
      bool isFast = false, isLittle = false;
      for (size_t kind = 0; kind < limits.size(); ++kind) {
        Amounts amounts = table.onKinds[kind]->amountsOf(kindsOf(sums)[kind]);
        isFast |= amounts.time <= limits[kind].time;
        isLittle |= amounts.share <= limits[kind].share;
      }
      return !isFast || !isLittle;
    });
  }

private:
  /// In comparisons.
  static constexpr int64_t effortOfEntry = 64;

  void stopInTime() {
    // A tenth of a millisecond or so.
    constexpr int64_t many = 1 << 14;
    if (!mustStop || askedAt - effort < many)
      return;
    askedAt = effort;
    if (mustStop())
      effort = -1;
  }

  const IdleTable &table;
  int64_t &effort;
  const std::function<bool()> &mustStop;
  /// The effort that was left when `mustStop` was asked.
  int64_t askedAt;
  std::vector<IdleNumbers> numbers;
};

IdleTable::IdleTable(const std::vector<Kind> &kinds, bool repeatable)
    : repeatable(repeatable) {
  for (const Kind &kind : kinds) {
    models.push_back(kind.model);
    onKinds.push_back(std::make_unique<OnKind>(kind, repeatable));
  }
}

IdleTable::~IdleTable() = default;

std::vector<IdleTable::Amounts> IdleTable::least() const {
  std::vector<Amounts> least;
  for (const std::unique_ptr<OnKind> &kind : onKinds)
    least.push_back(kind->least());
  return least;
}

template <typename Sums>
std::vector<BlockEntry>
IdleTable::build(int64_t &effort, const std::function<bool()> &mustStop) const {
  LimitedCosts<Sums> costs(*this, effort, mustStop);
  return TableBuilder<LimitedCosts<Sums>>(*models.front(), costs, repeatable,
                                          sets)
      .run();
}

std::optional<std::vector<BlockEntry>>
IdleTable::entries(const std::vector<Amounts> &most, int64_t &effort,
                   const std::function<bool()> &mustStop) {
  for (size_t kind = 0; kind < onKinds.size(); ++kind)
    onKinds[kind]->setMost(most[kind]);
  std::vector<BlockEntry> entries =
      onKinds.size() == 1 ? build<IdleSums>(effort, mustStop)
                          : build<PerKind<IdleSums>>(effort, mustStop);
  if (effort < 0)
    return std::nullopt;
  return entries;
}

} // namespace shardsmith
