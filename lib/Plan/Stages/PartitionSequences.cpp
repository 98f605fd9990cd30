// SPDX-License-Identifier: Apache-2.0

#include "PartitionSequences.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace shardsmith::search {

namespace {

/// The least costs of a unit of each segment over all pools.
class SegmentBounds {
public:
  explicit SegmentBounds(const PartitionProblem &problem) : forced(problem) {
    StageWork longer;
    longer.recompute = Nanoseconds(1);
    idleOfRecompute = problem.model.idle(longer).count();
    for (size_t segment = 0; segment < problem.chain.segments(); ++segment) {
      PartitionSequence::Rest bound{Nanoseconds::saturated(),
                                    Nanoseconds::saturated()};
      for (unsigned pool : problem.pools) {
        const UnitCosts &unit =
            problem.prices[pool][problem.chain.blockOf(segment)];
        Recompute fastest = fastestChoice(unit, problem.allowed);
        bound.time = std::min(bound.time, unit.time(fastest));
        StageWork work;
        work.append(unit, fastest);
        bound.idle = std::min(bound.idle, problem.model.idle(work));
      }
      bounds.push_back(bound);
    }
  }

  PartitionSequence::Rest operator[](size_t segment) const {
    return bounds[segment];
  }

  /// The bounds of ranks that hold so many units per segment.
  PartitionSequence::Rest of(RankRange ranks,
                             std::span<const int64_t> counts) const {
    PartitionSequence::Rest sum;
    for (size_t segment = 0; segment < counts.size(); ++segment) {
      sum.time += bounds[segment].time * counts[segment];
      sum.idle += bounds[segment].idle * counts[segment];
    }
    return withForced(sum, ranks, counts);
  }
  /// Adds what the memory of the ranks enforces.
  PartitionSequence::Rest withForced(PartitionSequence::Rest rest,
                                     RankRange ranks,
                                     std::span<const int64_t> counts) const {
    Nanoseconds longer = forced.least(ranks, counts);
    return {rest.time + longer, rest.idle + longer * idleOfRecompute};
  }
  bool knowMemory() const { return forced.isKnown(); }

private:
  std::vector<PartitionSequence::Rest> bounds;
  ForcedRecompute forced;
  int64_t idleOfRecompute = 1;
};

/// One stage per rank: the sequence is the chain.
class UnitSequence final : public PartitionSequence {
public:
  explicit UnitSequence(const PartitionProblem &problem)
      : chain(problem.chain), pools(problem.pools), bounds(problem) {
    size_t units = size_t(chain.units());
    rests.resize(units + 1);
    segmentOf.resize(units);
    for (size_t unit = units; unit-- > 0;) {
      segmentOf[unit] = chain.segmentOf(int64_t(unit));
      Rest each = bounds[segmentOf[unit]];
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
    // The last unit of the chain sends no message.
    bool isEnd = end == chain.units();
    return uint64_t(isEnd) << 60 | uint64_t(first) << 50 |
           uint64_t(last) << 40 | uint64_t(inFirst) << 20 | uint64_t(inLast);
  }
  Rest whole() const override { return rests.front(); }
  Rest rest(RankRange ranks, int64_t begin, int64_t end) const override {
    const Rest &from = rests[size_t(begin)], &to = rests[size_t(end)];
    Rest rest{from.time - to.time, from.idle - to.idle};
    if (!bounds.knowMemory() || begin == end)
      return rest;
    std::array<int64_t, ForcedRecompute::mostSegments> counts;
    for (size_t segment = 0; segment < chain.segments(); ++segment) {
      int64_t first = chain.begin(segment);
      counts[segment] =
          std::max<int64_t>(0, std::min(end, first + chain.count(segment)) -
                                   std::max(begin, first));
    }
    return bounds.withForced(rest, ranks, {counts.data(), chain.segments()});
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
  bool eachDivision(const std::vector<int64_t> &ends,
                    const Visit &visit) const override {
    return visit(stages(ends));
  }

private:
  const Chain &chain;
  const std::vector<unsigned> &pools;
  SegmentBounds bounds;
  std::vector<Rest> rests;
  std::vector<size_t> segmentOf;
};

/// Several stages per rank, all of one long segment but for a single unit in
/// front of the first and one behind the last: how a rank spreads its units
/// over its stages changes no sum, so the sequence is the long segment.
class SegmentSequence final : public PartitionSequence {
public:
  SegmentSequence(const PartitionProblem &problem, size_t segment)
      : chain(problem.chain), outer(problem.outer), prices(problem.prices),
        pools(problem.pools), allowed(problem.allowed), segment(segment),
        bounds(problem), lastRank(pipelineRankOf(outer.schedule, outer.pipeline,
                                                 stageCount() - 1)) {}

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

  Rest whole() const override {
    Rest sum;
    for (size_t each = 0; each < chain.segments(); ++each) {
      sum.time += bounds[each].time * chain.count(each);
      sum.idle += bounds[each].idle * chain.count(each);
    }
    return sum;
  }
  Rest rest(RankRange ranks, int64_t begin, int64_t end) const override {
    std::array<int64_t, 3> counts = {};
    counts[segment] = end - begin;
    if (segment > 0 && ranks.begin == 0 && ranks.end > 0)
      counts[0] = 1;
    if (segment + 1 < chain.segments() && ranks.begin <= lastRank &&
        lastRank < ranks.end)
      counts[segment + 1] = 1;
    return bounds.of(ranks, {counts.data(), chain.segments()});
  }
  std::vector<Stage> stages(const std::vector<int64_t> &ends) const override {
    std::vector<int64_t> sizes = endUnits();
    int64_t begin = 0;
    for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
      spread(rank, ends[size_t(rank)] - begin, sizes);
      begin = ends[size_t(rank)];
    }
    return stagesOf(sizes);
  }
  bool eachDivision(const std::vector<int64_t> &ends,
                    const Visit &visit) const override {
    std::vector<int64_t> left, sizes = endUnits();
    for (size_t rank = 0; rank < ends.size(); ++rank)
      left.push_back(ends[rank] - (rank == 0 ? 0 : ends[rank - 1]));
    return eachDivision(0, left, sizes, visit);
  }

private:
  int64_t stageCount() const { return outer.pipeline * outer.virtualStages; }
  bool isLast(int64_t rank) const { return rank == lastRank; }
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

  /// Per stage, of the single units in front of the long segment and behind it.
  std::vector<int64_t> endUnits() const {
    std::vector<int64_t> sizes(size_t(stageCount()), 0);
    sizes.front() += chain.begin(segment);
    sizes.back() += chain.units() - chain.begin(segment) - length();
    return sizes;
  }

  std::vector<Stage> stagesOf(const std::vector<int64_t> &sizes) const {
    std::vector<Stage> stages;
    int64_t unit = 0;
    for (int64_t stage = 0; stage < stageCount(); ++stage) {
      stages.push_back({unit,
                        unit + sizes[size_t(stage)],
                        {},
                        pools[size_t(rankOf(stage))]});
      unit += sizes[size_t(stage)];
    }
    return stages;
  }

  int64_t rankOf(int64_t stage) const {
    return pipelineRankOf(outer.schedule, outer.pipeline, stage);
  }

  /// Of the stages from `stage` on; `left`: units of the long segment that each
  /// rank has left for them.
  bool eachDivision(int64_t stage, std::vector<int64_t> &left,
                    std::vector<int64_t> &sizes, const Visit &visit) const {
    if (stage == stageCount())
      return visit(stagesOf(sizes));
    int64_t rank = rankOf(stage), own = sizes[size_t(stage)];
    int64_t &units = left[size_t(rank)];
    int64_t behind = 0;
    for (int64_t next = stage + 1; next < stageCount(); ++next)
      behind += rankOf(next) == rank;
    // Stages behind this one need a unit each, but for the single last one.
    int64_t spare = units - behind + (hasBack(rank) && behind > 0 ? 1 : 0);
    for (int64_t taken = behind == 0 ? units
                         : own > 0   ? 0
                                     : 1;
         taken <= spare; ++taken) {
      sizes[size_t(stage)] = own + taken;
      units -= taken;
      bool goesOn = sizes[size_t(stage)] == 0 ||
                    eachDivision(stage + 1, left, sizes, visit);
      units += taken;
      sizes[size_t(stage)] = own;
      if (!goesOn)
        return false;
    }
    return true;
  }

  /// Adds the rank's `count` units to the sizes of its stages. Only sums over
  /// a rank are priced, but ranks wait for the longest stage when it is its
  /// turn: each unit goes to the stage that takes least until then, an empty
  /// one and then the last of equals before others. A unit more in the first
  /// stages makes those of other ranks wait in every round of the schedule.
  void spread(int64_t rank, int64_t count, std::vector<int64_t> &sizes) const {
    const std::vector<UnitCosts> &units = prices[pools[size_t(rank)]];
    Nanoseconds unitTime = timeOf(units, segment);
    struct Own {
      size_t stage;
      Nanoseconds time;
    };
    std::vector<Own> own;
    for (int64_t stage = 0; stage < stageCount(); ++stage)
      if (rankOf(stage) == rank)
        own.push_back({size_t(stage), {}});
    if (hasBack(rank))
      own.back().time = timeOf(units, chain.segments() - 1);
    auto add = [&](Own &each) {
      ++sizes[each.stage];
      each.time += unitTime;
      --count;
    };
    if (hasFront(rank)) {
      own.front().time += timeOf(units, 0);
      if (isFrontAlone(count))
        own.erase(own.begin());
      else
        add(own.front());
    }
    auto addToNext = [&] {
      auto reversed = own | std::views::reverse;
      add(*std::ranges::min_element(reversed, {}, [&](const Own &each) {
        return std::pair(sizes[each.stage] > 0, each.time);
      }));
    };
    // Once all stages have a unit and are within one unit's time of each other
    // they take turns, so that whole rounds are added at once.
    auto takeTurns = [&] {
      auto [least, most] = std::ranges::minmax(own, {}, &Own::time);
      return most.time - least.time < unitTime &&
             std::ranges::all_of(
                 own, [&](const Own &each) { return sizes[each.stage] > 0; });
    };
    while (count > 0 && !takeTurns())
      addToNext();
    int64_t rounds = count / int64_t(own.size());
    for (Own &each : own) {
      sizes[each.stage] += rounds;
      each.time += unitTime * rounds;
    }
    count -= rounds * int64_t(own.size());
    while (count > 0)
      addToNext();
  }

  Nanoseconds timeOf(const std::vector<UnitCosts> &units, size_t part) const {
    const UnitCosts &unit = units[chain.blockOf(part)];
    return unit.time(fastestChoice(unit, allowed));
  }

  const Chain &chain;
  const Strategy &outer;
  const UnitPrices &prices;
  const std::vector<unsigned> &pools;
  RecomputeMask allowed;
  size_t segment;
  SegmentBounds bounds;
  /// The rank that holds the last stage.
  int64_t lastRank;
};

} // namespace

std::unique_ptr<PartitionSequence>
partitionSequence(const PartitionProblem &problem) {
  if (problem.cuts.areListed(problem.outer))
    return nullptr;
  if (problem.outer.virtualStages == 1)
    return std::make_unique<UnitSequence>(problem);
  return std::make_unique<SegmentSequence>(problem,
                                           *longSegment(problem.chain));
}

} // namespace shardsmith::search
