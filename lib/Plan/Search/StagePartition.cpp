// SPDX-License-Identifier: Apache-2.0

#include "StagePartition.h"

#include <algorithm>
#include <memory>

namespace shardsmith::search {

namespace {

/// How pipeline ranks take their pieces one after the other from a row of
/// `length` equal or different things.
class RankRow {
public:
  virtual ~RankRow() = default;
  virtual int64_t length() const = 0;
  /// A rank takes at least so many.
  virtual int64_t least(int64_t rank) const = 0;
  virtual Piece piece(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// The same number for equal pieces.
  virtual uint64_t key(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// Time per micro-batch and idle time, at least, of what ranks from `rank` on
  /// hold if they take the row from `begin` on.
  struct Rest {
    Nanoseconds time, idle;
  };
  virtual Rest rest(int64_t rank, int64_t begin) const = 0;
  virtual std::vector<Stage> stages(const std::vector<int64_t> &ends) const = 0;
};

/// The least that a unit of each segment costs, on whichever pool.
class UnitFloors {
public:
  explicit UnitFloors(const PartitionProblem &problem) {
    for (size_t segment = 0; segment < problem.chain.segments(); ++segment) {
      RankRow::Rest floor{Nanoseconds::saturated(), Nanoseconds::saturated()};
      for (unsigned pool : problem.pools) {
        const UnitCosts &unit =
            problem.prices[pool][problem.chain.blockOf(segment)];
        Nanoseconds recompute = Nanoseconds::saturated();
        for (size_t choice = 0; choice < recomputeChoices; ++choice)
          if (problem.allowed[choice])
            recompute = std::min(recompute, unit.recompute[choice]);
        StageWork work;
        work.append(unit, Recompute::None);
        floor.time =
            std::min(floor.time, work.forward + work.backwardInput +
                                     work.backwardWeight + recompute +
                                     work.forwardCommunication.total() +
                                     work.backwardCommunication.total());
        work.recompute = recompute;
        floor.idle = std::min(floor.idle, problem.model.idle(work));
      }
      floors.push_back(floor);
    }
  }

  RankRow::Rest operator[](size_t segment) const { return floors[segment]; }

private:
  std::vector<RankRow::Rest> floors;
};

/// One stage per rank: the row is the chain.
class ChainRow : public RankRow {
public:
  explicit ChainRow(const PartitionProblem &problem)
      : chain(problem.chain), pools(problem.pools) {
    UnitFloors floors(problem);
    size_t units = size_t(chain.units());
    rests.resize(units + 1);
    segmentOf.resize(units);
    for (size_t unit = units; unit-- > 0;) {
      segmentOf[unit] = chain.segmentOf(int64_t(unit));
      Rest each = floors[segmentOf[unit]];
      rests[unit] = {rests[unit + 1].time + each.time,
                     rests[unit + 1].idle + each.idle};
    }
  }

  int64_t length() const override { return chain.units(); }
  int64_t least(int64_t) const override { return 1; }
  Piece piece(int64_t, int64_t begin, int64_t end) const override {
    Piece piece;
    chain.addStage(piece, begin, end);
    return piece;
  }
  uint64_t key(int64_t, int64_t begin, int64_t end) const override {
    size_t first = segmentOf[size_t(begin)];
    size_t last = segmentOf[size_t(end - 1)];
    int64_t inFirst =
        std::min(end, chain.begin(first) + chain.count(first)) - begin;
    int64_t inLast = end - std::max(begin, chain.begin(last));
    bool isSmall = chain.segments() < 1 << 10 && chain.units() < 1 << 20;
    if (!isSmall)
      return uint64_t(begin) << 32 | uint64_t(end);
    // The last unit of the chain sends nothing.
    bool isEnd = end == chain.units();
    return uint64_t(isEnd) << 60 | uint64_t(first) << 50 |
           uint64_t(last) << 40 | uint64_t(inFirst) << 20 | uint64_t(inLast);
  }
  Rest rest(int64_t, int64_t begin) const override {
    return rests[size_t(begin)];
  }
  std::vector<Stage> stages(const std::vector<int64_t> &ends) const override {
    std::vector<Stage> stages;
    int64_t begin = 0;
    for (size_t rank = 0; rank < ends.size(); ++rank) {
      stages.push_back({begin, ends[rank], {}, pools[rank]});
      begin = ends[rank];
    }
    return stages;
  }

private:
  const Chain &chain;
  const std::vector<unsigned> &pools;
  std::vector<Rest> rests;
  std::vector<size_t> segmentOf;
};

/// Several stages per rank, all of one long segment but for a single unit in
/// front of the first and one behind the last: how a rank spreads its units
/// over its stages changes nothing, so the row is the long segment.
class LongSegmentRow : public RankRow {
public:
  LongSegmentRow(const PartitionProblem &problem, size_t segment)
      : chain(problem.chain), outer(problem.outer), prices(problem.prices),
        pools(problem.pools), segment(segment), floors(problem) {}

  int64_t length() const override { return chain.count(segment); }

  int64_t least(int64_t rank) const override {
    // A stage with a single unit of its own needs no other.
    return outer.virtualStages - (hasFront(rank) ? 1 : 0) -
           (hasBack(rank) ? 1 : 0);
  }

  Piece piece(int64_t rank, int64_t begin, int64_t end) const override {
    Piece piece;
    if (hasFront(rank))
      piece.parts.push_back({0, 1});
    if (end > begin)
      piece.parts.push_back({segment, end - begin});
    if (hasBack(rank))
      piece.parts.push_back({chain.segments() - 1, 1});
    int64_t senders = outer.virtualStages - (isLast(rank) ? 1 : 0);
    piece.senders.assign(size_t(senders), segment);
    if (hasFront(rank) && isFrontAlone(end - begin))
      piece.senders.front() = 0;
    return piece;
  }

  uint64_t key(int64_t rank, int64_t begin, int64_t end) const override {
    return uint64_t(rank == 0) << 62 | uint64_t(isLast(rank)) << 61 |
           uint64_t(end - begin);
  }

  Rest rest(int64_t rank, int64_t begin) const override {
    int64_t count = length() - begin;
    Rest rest{floors[segment].time * count, floors[segment].idle * count};
    auto add = [&](size_t single) {
      rest.time += floors[single].time;
      rest.idle += floors[single].idle;
    };
    if (segment > 0 && rank == 0)
      add(0);
    int64_t lastRank =
        pipelineRankOf(outer.schedule, outer.pipeline, stageCount() - 1);
    if (segment + 1 < chain.segments() && rank <= lastRank)
      add(chain.segments() - 1);
    return rest;
  }

  std::vector<Stage> stages(const std::vector<int64_t> &ends) const override {
    std::vector<int64_t> sizes(size_t(stageCount()), 0);
    sizes.front() += chain.begin(segment);
    sizes.back() += chain.units() - chain.begin(segment) - length();
    int64_t begin = 0;
    for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
      spread(rank, ends[size_t(rank)] - begin, sizes);
      begin = ends[size_t(rank)];
    }
    std::vector<Stage> stages;
    int64_t unit = 0;
    for (int64_t stage = 0; stage < stageCount(); ++stage) {
      int64_t rank = pipelineRankOf(outer.schedule, outer.pipeline, stage);
      stages.push_back(
          {unit, unit + sizes[size_t(stage)], {}, pools[size_t(rank)]});
      unit += sizes[size_t(stage)];
    }
    return stages;
  }

private:
  int64_t stageCount() const { return outer.pipeline * outer.virtualStages; }
  bool isLast(int64_t rank) const {
    return pipelineRankOf(outer.schedule, outer.pipeline, stageCount() - 1) ==
           rank;
  }
  bool hasFront(int64_t rank) const { return segment > 0 && rank == 0; }
  bool hasBack(int64_t rank) const {
    return segment + 1 < chain.segments() && isLast(rank);
  }

  /// Whether the first stage holds the single unit in front and nothing else,
  /// if its rank takes `count` of the long segment: it must if there is none
  /// to spare, and does where its message is shorter than the others.
  bool isFrontAlone(int64_t count) const {
    const std::vector<UnitCosts> &units = prices[pools.front()];
    return count == least(0) || units[chain.blockOf(0)].outputBytes <
                                    units[chain.blockOf(segment)].outputBytes;
  }

  /// Adds the rank's `count` units to the sizes of its stages, the shortest
  /// and then the first of its stages first.
  void spread(int64_t rank, int64_t count, std::vector<int64_t> &sizes) const {
    std::vector<size_t> own;
    for (int64_t stage = 0; stage < stageCount(); ++stage)
      if (pipelineRankOf(outer.schedule, outer.pipeline, stage) == rank)
        own.push_back(size_t(stage));
    if (hasFront(rank)) {
      if (isFrontAlone(count)) {
        own.erase(own.begin());
      } else {
        ++sizes[own.front()];
        --count;
      }
    }
    for (; count > 0; --count)
      ++sizes[*std::ranges::min_element(
          own, [&](size_t a, size_t b) { return sizes[a] < sizes[b]; })];
  }

  const Chain &chain;
  const Strategy &outer;
  const UnitPrices &prices;
  const std::vector<unsigned> &pools;
  size_t segment;
  UnitFloors floors;
};

/// The labels of one search; see the header.
class LabelSearch {
public:
  LabelSearch(const PartitionProblem &problem, const RankRow &row,
              RankPricer &pricer)
      : problem(problem), row(row), pricer(pricer),
        ranks(problem.outer.pipeline) {}

  /// Where the pieces end, per rank, of the best partition.
  std::optional<std::pair<Nanoseconds, std::vector<int64_t>>>
  run(Nanoseconds atMost);

private:
  struct Label {
    Nanoseconds perMicroBatch, idle, tail;
    /// Where the last piece began, and the label there.
    int64_t begin = 0;
    size_t before = 0;

    bool dominates(const Label &other) const {
      return perMicroBatch <= other.perMicroBatch && idle <= other.idle &&
             tail <= other.tail;
    }
    auto key() const { return std::tuple(perMicroBatch, idle, tail); }
  };
  /// By end of the last piece, of the ranks so far.
  using Labels = std::vector<std::vector<Label>>;

  Nanoseconds bestStep(const Label &label, int64_t rank, int64_t begin) const;
  void extend(const Labels &labels, int64_t rank, Labels &extended);
  bool insert(std::vector<Label> &labels, const Label &label) const;
  Nanoseconds longestRank() const;

  const PartitionProblem &problem;
  const RankRow &row;
  RankPricer &pricer;
  int64_t ranks;
  Nanoseconds limit, longest;
};

/// The least step of any completion: what is left is spread evenly at best.
Nanoseconds LabelSearch::bestStep(const Label &label, int64_t rank,
                                  int64_t begin) const {
  StepModel::Totals totals{label.perMicroBatch, label.idle, label.tail};
  if (rank < ranks) {
    RankRow::Rest rest = row.rest(rank, begin);
    Nanoseconds even(ceilDivide(rest.time.count(), ranks - rank));
    totals.perMicroBatch = std::max(totals.perMicroBatch, even);
    totals.idle += rest.idle;
  }
  return problem.model.step(totals);
}

bool LabelSearch::insert(std::vector<Label> &labels, const Label &label) const {
  for (const Label &other : labels)
    if (other.dominates(label))
      return false;
  std::erase_if(labels,
                [&](const Label &other) { return label.dominates(other); });
  labels.push_back(label);
  return true;
}

/// Ranks above this time per micro-batch make the step longer than the limit.
Nanoseconds LabelSearch::longestRank() const {
  Nanoseconds idle = row.rest(0, 0).idle;
  auto isWithin = [&](int64_t time) {
    return problem.model.step({Nanoseconds(time), idle, {}}) <= limit;
  };
  int64_t within = 0, above = limit.count();
  while (above - within > 1) {
    int64_t middle = within + (above - within) / 2;
    (isWithin(middle) ? within : above) = middle;
  }
  return Nanoseconds(above);
}

void LabelSearch::extend(const Labels &labels, int64_t rank, Labels &extended) {
  int64_t later = 0;
  for (int64_t next = rank + 1; next < ranks; ++next)
    later += row.least(next);
  int64_t last = row.length() - later;
  // The ranks behind cannot take more than their share.
  int64_t first = last;
  while (first > 0 &&
         row.rest(rank + 1, first - 1).time <= longest * (ranks - rank - 1))
    --first;

  unsigned pool = problem.pools[size_t(rank)];
  for (int64_t begin = 0; begin <= row.length(); ++begin) {
    const std::vector<Label> &here = labels[size_t(begin)];
    if (here.empty())
      continue;
    RankRow::Rest whole = row.rest(rank, begin);
    for (int64_t end = std::max(first, begin + row.least(rank)); end <= last;
         ++end) {
      RankRow::Rest behind = row.rest(rank + 1, end);
      Label floor{whole.time - behind.time, whole.idle - behind.idle, {}};
      if (floor.perMicroBatch > longest)
        break;
      auto isWithin = [&](const Label &before) {
        Label label = floor;
        label.perMicroBatch =
            std::max(label.perMicroBatch, before.perMicroBatch);
        label.idle += before.idle;
        label.tail = before.tail;
        return bestStep(label, rank + 1, end) <= limit;
      };
      if (std::ranges::none_of(here, isWithin))
        continue;
      const RankOption &option =
          pricer.option(rank, pool, row.key(rank, begin, end),
                        [&] { return row.piece(rank, begin, end); });
      if (option.isHopeless)
        break;
      if (!option.fits)
        continue;
      for (size_t before = 0; before < here.size(); ++before) {
        Label label{std::max(here[before].perMicroBatch, option.perMicroBatch),
                    here[before].idle + option.idle,
                    std::max(here[before].tail, option.tail), begin, before};
        if (bestStep(label, rank + 1, end) <= limit)
          insert(extended[size_t(end)], label);
      }
    }
  }
}

std::optional<std::pair<Nanoseconds, std::vector<int64_t>>>
LabelSearch::run(Nanoseconds atMost) {
  limit = atMost;
  if (bestStep(Label(), 0, 0) > limit)
    return std::nullopt;
  longest = longestRank();
  std::vector<Labels> layers = {Labels(size_t(row.length()) + 1)};
  layers.front().front().push_back(Label());
  for (int64_t rank = 0; rank < ranks; ++rank) {
    layers.emplace_back(size_t(row.length()) + 1);
    extend(layers[size_t(rank)], rank, layers.back());
  }
  const std::vector<Label> &finished = layers.back().back();
  if (finished.empty())
    return std::nullopt;

  auto key = [&](const Label &label) {
    return std::pair(bestStep(label, ranks, row.length()), label.key());
  };
  const Label *label =
      &*std::ranges::min_element(finished, [&](const Label &a, const Label &b) {
        return key(a) < key(b);
      });
  Nanoseconds step = key(*label).first;
  std::vector<int64_t> ends(size_t(ranks), row.length());
  for (size_t rank = size_t(ranks); rank-- > 1;) {
    ends[rank - 1] = label->begin;
    label = &layers[rank][size_t(label->begin)][label->before];
  }
  return std::pair(step, ends);
}

/// Gives every unit of the rank's stages its choice; of equal units the first
/// ones recompute most.
void assignRecompute(const Chain &chain, const Piece &piece,
                     const RecomputeMix &mix,
                     const std::vector<Stage *> &stages) {
  std::vector<RecomputeCounts> left = mix.counts;
  for (Stage *stage : stages)
    for (int64_t unit = stage->begin; unit < stage->end; ++unit) {
      size_t part = 0;
      while (piece.parts[part].segment != chain.segmentOf(unit))
        ++part;
      size_t choice = size_t(Recompute::Full);
      while (left[part][choice] == 0)
        --choice;
      --left[part][choice];
      stage->recompute.push_back(Recompute(choice));
    }
}

/// The pieces of the ranks for given stages.
std::vector<Piece> piecesOf(const PartitionProblem &problem,
                            const std::vector<Stage> &stages) {
  std::vector<Piece> pieces(size_t(problem.outer.pipeline));
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    int64_t rank = pipelineRankOf(problem.outer.schedule,
                                  problem.outer.pipeline, int64_t(stage));
    problem.chain.addStage(pieces[size_t(rank)], stages[stage].begin,
                           stages[stage].end);
  }
  return pieces;
}

void assignRecompute(const PartitionProblem &problem, RankPricer &pricer,
                     std::vector<Stage> &stages) {
  std::vector<Piece> pieces = piecesOf(problem, stages);
  for (int64_t rank = 0; rank < problem.outer.pipeline; ++rank) {
    std::vector<Stage *> own;
    for (size_t stage = 0; stage < stages.size(); ++stage)
      if (pipelineRankOf(problem.outer.schedule, problem.outer.pipeline,
                         int64_t(stage)) == rank)
        own.push_back(&stages[stage]);
    const Piece &piece = pieces[size_t(rank)];
    assignRecompute(problem.chain, piece,
                    pricer.mix(rank, problem.pools[size_t(rank)], piece), own);
  }
}

std::vector<Stage> stagesOf(const PartitionProblem &problem,
                            const std::vector<int64_t> &cuts) {
  std::vector<Stage> stages;
  int64_t begin = 0;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    int64_t end = stage < cuts.size() ? cuts[stage] : problem.chain.units();
    int64_t rank = pipelineRankOf(problem.outer.schedule,
                                  problem.outer.pipeline, int64_t(stage));
    stages.push_back({begin, end, {}, problem.pools[size_t(rank)]});
    begin = end;
  }
  return stages;
}

/// Cut by cut.
std::optional<Partition> bestListed(const PartitionProblem &problem,
                                    RankPricer &pricer, Nanoseconds atMost) {
  std::optional<Partition> best;
  int64_t count = problem.outer.pipeline * problem.outer.virtualStages;
  for (const std::vector<int64_t> &cuts : listedCuts(problem.chain, count)) {
    std::vector<Stage> stages = stagesOf(problem, cuts);
    std::vector<Piece> pieces = piecesOf(problem, stages);
    StepModel::Totals totals;
    bool fits = true;
    for (size_t rank = 0; rank < pieces.size() && fits; ++rank) {
      RankOption option =
          pricer.option(int64_t(rank), problem.pools[rank], pieces[rank]);
      fits = option.fits;
      totals.perMicroBatch =
          std::max(totals.perMicroBatch, option.perMicroBatch);
      totals.idle += option.idle;
      totals.tail = std::max(totals.tail, option.tail);
    }
    Nanoseconds step = problem.model.step(totals);
    if (fits && step <= atMost && (!best || step < best->step))
      best = Partition{step, std::move(stages)};
  }
  if (best)
    assignRecompute(problem, pricer, best->stages);
  return best;
}

Partition finished(const PartitionProblem &problem, const RankRow &row,
                   RankPricer &pricer,
                   const std::pair<Nanoseconds, std::vector<int64_t>> &found) {
  Partition partition{found.first, row.stages(found.second)};
  assignRecompute(problem, pricer, partition.stages);
  return partition;
}

std::unique_ptr<RankRow> rowOf(const PartitionProblem &problem) {
  if (problem.outer.virtualStages == 1)
    return std::make_unique<ChainRow>(problem);
  if (std::optional<size_t> segment = longSegment(problem.chain))
    return std::make_unique<LongSegmentRow>(problem, *segment);
  return nullptr;
}

} // namespace

std::optional<size_t> longSegment(const Chain &chain) {
  std::optional<size_t> longest;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    bool isInside = segment > 0 && segment + 1 < chain.segments();
    if (chain.count(segment) == 1 && !isInside)
      continue;
    if (longest)
      return std::nullopt;
    longest = segment;
  }
  return longest;
}

std::vector<std::vector<int64_t>> listedCuts(const Chain &chain,
                                             int64_t stages) {
  std::vector<std::vector<int64_t>> all;
  if (stages > chain.units())
    return all;
  // All ways to choose the cuts, if they are few.
  constexpr size_t few = 2000;
  std::vector<int64_t> cuts;
  for (int64_t stage = 1; stage < stages; ++stage)
    cuts.push_back(stage);
  while (all.size() <= few) {
    all.push_back(cuts);
    size_t place = cuts.size();
    while (place > 0 &&
           cuts[place - 1] == chain.units() - stages + int64_t(place))
      --place;
    if (place == 0)
      return all;
    ++cuts[place - 1];
    for (; place < cuts.size(); ++place)
      cuts[place] = cuts[place - 1] + 1;
  }
  for (int64_t stage = 1; stage < stages; ++stage)
    cuts[size_t(stage - 1)] = chain.units() * stage / stages;
  return {cuts};
}

std::optional<Partition> bestPartition(const PartitionProblem &problem,
                                       Nanoseconds atLeast,
                                       Nanoseconds atMost) {
  if (problem.outer.pipeline * problem.outer.virtualStages >
      problem.chain.units())
    return std::nullopt;
  RankPricer pricer(problem.model, problem.chain, problem.prices,
                    problem.allowed);
  std::unique_ptr<RankRow> row = rowOf(problem);
  if (!row)
    return bestListed(problem, pricer, atMost);

  // Narrow limits make for few labels; what is found under any limit is the
  // best of all.
  LabelSearch search(problem, *row, pricer);
  for (int64_t perMille : {2, 10, 40, 160, 640}) {
    Nanoseconds limit =
        atLeast + Nanoseconds(atLeast.count() / 1000 * perMille);
    if (limit >= atMost)
      break;
    if (auto found = search.run(limit))
      return finished(problem, *row, pricer, *found);
  }
  if (auto found = search.run(atMost))
    return finished(problem, *row, pricer, *found);
  return std::nullopt;
}

} // namespace shardsmith::search
