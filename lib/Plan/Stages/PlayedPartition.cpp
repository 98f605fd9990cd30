// SPDX-License-Identifier: Apache-2.0

#include "PlayedPartition.h"

#include "LabelSearch.h"
#include "UnitRuns.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace shardsmith::search {

namespace {

/// Stages beside the first ones, within the effort.
class OtherStages {
public:
  OtherStages(const PartitionProblem &problem, PlayedPartition &found,
              Nanoseconds least, Nanoseconds atMost, const PlayStages &play,
              const std::function<bool()> &mustStop)
      : problem(problem), found(found), least(least), atMost(atMost),
        play(play), mustStop(mustStop),
        pricer(problem.model, problem.links, problem.chain, problem.prices,
               problem.allowed) {}

  void look() {
    std::unique_ptr<PartitionSequence> sequence = partitionSequence(problem);
    std::vector<Stage> other = withRanksReversed(found.best.stages);
    improve();
    if (!isBest() && problem.outer.virtualStages > 1 &&
        !problem.cuts.areGiven())
      improveFrom(std::move(other));
    if (!isBest() && !playAll(sequence.get()))
      found.leastLeft = least;
    refill();
  }

private:
  /// Counted in passes of micro-batches through stages; the same on every
  /// machine, and hundredths of a second on one of today.
  static constexpr int64_t mostEffort = int64_t(1) << 17;
  /// What the sums of a stage take, in such passes.
  static constexpr int64_t effortOfSums = 8;

  /// No stages take less than the best ones by sums.
  bool isBest() const { return found.best.step <= least; }

  /// The step that sums must be below, to be of use.
  Nanoseconds limit() const {
    return std::min(found.best.step, atMost + Nanoseconds(1));
  }

  void refill() {
    found.effort += mostEffort - effort;
    effort = mostEffort;
  }

  int64_t effortOfPlay() const {
    int64_t stages = problem.outer.pipeline * problem.outer.virtualStages;
    return playedPasses(stages, problem.model.microBatches());
  }

  /// With their sums, if these are below the limit. `isEnough`: the best stages
  /// are found, or there is no effort left to know.
  std::optional<Partition> openPartition(std::vector<Stage> stages,
                                         bool &isEnough) {
    effort -= effortOfSums * int64_t(stages.size());
    isEnough = isBest() || effort < 0 || mustStop();
    if (isEnough)
      return std::nullopt;
    return summed(problem, pricer, std::move(stages), limit());
  }

  /// Its step when it is played.
  Nanoseconds playOpen(Partition partition) {
    Nanoseconds step = partition.step = play(partition.stages);
    if (step < found.best.step)
      found.best = std::move(partition);
    return step;
  }

  /// The most by which other choices of recomputation may make passes shorter,
  /// of one micro-batch and all stages. Those that are written down take the
  /// least time of a rank, so a stage can do with less only as far as the other
  /// stages of its rank can take more.
  Nanoseconds mostLessRecompute(const Partition &partition) const {
    struct Times {
      Nanoseconds now, more;
    };
    std::vector<Times> ofStages, ofRanks(size_t(problem.outer.pipeline));
    for (const Stage &stage : partition.stages) {
      Times &times = ofStages.emplace_back();
      for (const UnitRun &run : runsOf(problem.chain, stage)) {
        const UnitCosts &costs =
            problem.prices[stage.pool][problem.chain.blockOf(run.segment)];
        Nanoseconds now = costs.recompute[size_t(run.choice)], most = now;
        for (size_t other = 0; other < recomputeChoices; ++other)
          if (problem.allowed[other] && !problem.chain.given(run.segment))
            most = std::max(most, costs.recompute[other]);
        times.now += now * run.count;
        times.more += (most - now) * run.count;
      }
      ofRanks[size_t(rankOf(int64_t(ofStages.size()) - 1))].more += times.more;
    }
    Nanoseconds less;
    for (size_t stage = 0; stage < ofStages.size(); ++stage) {
      const Times &times = ofStages[stage];
      Nanoseconds others =
          ofRanks[size_t(rankOf(int64_t(stage)))].more - times.more;
      less += std::min(times.now, others);
    }
    return less;
  }

  /// All whose sums are below the best step, if there is effort for it; else
  /// none, and false.
  bool playAll(const PartitionSequence *sequence) {
    refill();
    std::vector<Partition> open;
    auto add = [&](std::vector<Stage> stages) {
      bool isEnough = false;
      if (auto partition = openPartition(std::move(stages), isEnough)) {
        open.push_back(std::move(*partition));
        effort -= effortOfPlay();
      }
      return !isEnough;
    };
    if (!(sequence ? eachOfRow(*sequence, add) : eachListed(add)))
      return false;
    std::ranges::sort(open, {}, &Partition::step);
    for (Partition &each : open) {
      if (each.step >= limit())
        break;
      Nanoseconds sums = each.step, less = mostLessRecompute(each);
      Nanoseconds step = playOpen(std::move(each));
      if (less > Nanoseconds())
        found.leastLeft =
            std::min(found.leastLeft, std::max(sums, withLess(step, less)));
    }
    return true;
  }

  /// The step at least if every micro-batch takes that much less.
  Nanoseconds withLess(Nanoseconds step, Nanoseconds less) const {
    return step - problem.model.step(less * problem.model.microBatches());
  }

  bool eachOfRow(const PartitionSequence &sequence,
                 const PartitionSequence::Visit &visit) {
    LabelSearch search(problem, sequence, pricer);
    return search.each(limit() - Nanoseconds(1), mostEffort / effortOfSums,
                       [&](const std::vector<int64_t> &ends) {
                         return sequence.eachDivision(ends, visit);
                       });
  }

  bool eachListed(const PartitionSequence::Visit &visit) {
    const CutList &list = problem.cuts.of(problem.outer);
    return std::ranges::all_of(list.cuts, [&](const CutList::Cut &cut) {
      return visit(stagesCutAt(problem, cut.begins));
    });
  }

  void improve() {
    refill();
    if (!problem.cuts.areGiven())
      moveUnits();
    exchangeChoices();
  }

  /// The same from other stages, if their sums may be of use. What is found is
  /// forgotten if it is no better than what was known.
  void improveFrom(std::vector<Stage> stages) {
    std::optional<Partition> start =
        summed(problem, pricer, std::move(stages), limit());
    if (!start || mustStop())
      return;
    start->step = play(start->stages);
    Partition known = std::exchange(found.best, std::move(*start));
    improve();
    if (known.step <= found.best.step)
      found.best = std::move(known);
  }

  /// The stages that have as many units as those of the same rank had, the
  /// other way round, but on ranks with an end of the chain, whose stages are
  /// uneven for a reason. Neither way is better in all pipelines.
  std::vector<Stage> withRanksReversed(const std::vector<Stage> &stages) const {
    std::vector<std::vector<int64_t>> sizes(size_t(problem.outer.pipeline));
    auto sizesOf = [&](size_t stage) -> std::vector<int64_t> & {
      return sizes[size_t(rankOf(int64_t(stage)))];
    };
    for (size_t stage = 0; stage < stages.size(); ++stage)
      sizesOf(stage).push_back(stages[stage].end - stages[stage].begin);
    std::vector<int64_t> cuts;
    int64_t end = 0;
    for (size_t stage = 0; stage + 1 < stages.size(); ++stage) {
      bool hasEnd =
          rankOf(int64_t(stage)) == rankOf(0) ||
          rankOf(int64_t(stage)) == rankOf(int64_t(stages.size()) - 1);
      cuts.push_back(end += hasEnd ? stages[stage].end - stages[stage].begin
                                   : sizesOf(stage).back());
      sizesOf(stage).pop_back();
    }
    return stagesCutAt(problem, cuts);
  }

  /// Of stages of one rank first, which changes no sums.
  void moveUnits() {
    while (moveUnits(true) || moveUnits(false)) {
    }
  }

  /// Of equal units of a rank some may recompute more than others: which ones
  /// changes no sums.
  void exchangeChoices() {
    bool isBetter = problem.outer.virtualStages > 1;
    while (isBetter && !isBest()) {
      Nanoseconds before = found.best.step;
      auto stages = int64_t(found.best.stages.size());
      for (int64_t one = 0; one < stages; ++one)
        for (int64_t other = one + 1; other < stages; ++other)
          if (rankOf(one) == rankOf(other) &&
              !exchangeChoices(size_t(one), size_t(other)))
            return;
      isBetter = found.best.step < before;
    }
  }

  /// Of the first equal units that differ. False if there is no effort left.
  bool exchangeChoices(size_t one, size_t other) {
    std::set<std::tuple<size_t, Recompute, Recompute>> tried;
    const std::vector<Stage> known = found.best.stages;
    const std::vector<UnitRun> others = runsOf(problem.chain, known[other]);
    for (const UnitRun &run : runsOf(problem.chain, known[one]))
      for (const UnitRun &with : others) {
        if (run.choice == with.choice || run.segment != with.segment ||
            !tried.insert({run.segment, run.choice, with.choice}).second)
          continue;
        effort -= effortOfPlay();
        if (isBest() || effort < 0 || mustStop())
          return false;
        Partition exchanged{{}, known};
        std::swap(exchanged.stages[one].recompute[run.first],
                  exchanged.stages[other].recompute[with.first]);
        playOpen(std::move(exchanged));
      }
    return true;
  }

  bool moveUnits(bool isInRank) {
    auto stages = int64_t(found.best.stages.size());
    Nanoseconds before = found.best.step;
    for (int64_t from = 0; from < stages; ++from)
      for (int64_t to = stages; to-- > 0;)
        if (from != to && (rankOf(from) == rankOf(to)) == isInRank &&
            !moveUnit(size_t(from), size_t(to)))
          return false;
    return found.best.step < before;
  }

  int64_t rankOf(int64_t stage) const {
    return pipelineRankOf(problem.outer.schedule, problem.outer.pipeline,
                          stage);
  }

  /// The stages between them move by a unit. False if there is no effort left.
  bool moveUnit(size_t from, size_t to) {
    const Stage &giving = found.best.stages[from];
    if (giving.end - giving.begin == 1)
      return true;
    std::vector<int64_t> cuts;
    for (const Stage &stage : found.best.stages)
      cuts.push_back(stage.end);
    cuts.pop_back();
    int64_t step = from < to ? -1 : 1;
    for (size_t cut = std::min(from, to); cut < std::max(from, to); ++cut)
      cuts[cut] += step;
    std::vector<Stage> stages = stagesCutAt(problem, cuts);
    bool isEnough = false;
    if (auto partition = openPartition(std::move(stages), isEnough)) {
      effort -= effortOfPlay();
      if (effort < 0)
        return false;
      playOpen(std::move(*partition));
    }
    return !isEnough;
  }

  const PartitionProblem &problem;
  PlayedPartition &found;
  Nanoseconds least, atMost;
  const PlayStages &play;
  const std::function<bool()> &mustStop;
  RankPricer pricer;
  int64_t effort = mostEffort;
};

} // namespace

PlayedPartition bestPlayed(const PartitionProblem &problem, Partition first,
                           Nanoseconds atMost, const PlayStages &play,
                           const std::function<bool()> &mustStop) {
  Nanoseconds least = first.step;
  PlayedPartition found{std::move(first)};
  found.best.step = play(found.best.stages);
  if (found.best.step > least)
    OtherStages(problem, found, least, atMost, play, mustStop).look();
  return found;
}

} // namespace shardsmith::search
