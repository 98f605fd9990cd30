// SPDX-License-Identifier: Apache-2.0

#include "StagePartition.h"
#include "LabelSearch.h"

#include <algorithm>
#include <map>

namespace shardsmith::search {

namespace {

/// Gives every unit of the rank's stages its choice; of equal units the first
/// ones recompute most.
void assignRecompute(const Chain &chain, const Piece &piece,
                     const RecomputeMix &mix,
                     const std::vector<Stage *> &stages) {
  std::vector<RecomputeCounts> left = mix.counts;
  for (Stage *stage : stages)
    for (int64_t unit = stage->begin; unit < stage->end;) {
      size_t segment = chain.segmentOf(unit);
      int64_t end =
          std::min(stage->end, chain.begin(segment) + chain.count(segment));
      size_t part = 0;
      while (piece.parts[part].segment != segment)
        ++part;
      for (size_t choice = recomputeChoices; choice-- > 0;) {
        int64_t count = std::min(left[part][choice], end - unit);
        left[part][choice] -= count;
        stage->recompute.insert(stage->recompute.end(), size_t(count),
                                Recompute(choice));
        unit += count;
      }
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
  // Many cuts differ in two stages only.
  std::map<std::pair<int64_t, Piece>, RankOption> known;
  int64_t count = problem.outer.pipeline * problem.outer.virtualStages;
  for (const std::vector<int64_t> &cuts : listedCuts(problem.chain, count)) {
    std::vector<Stage> stages = stagesOf(problem, cuts);
    std::vector<Piece> pieces = piecesOf(problem, stages);
    StepModel::Totals totals;
    bool fits = true;
    for (size_t rank = 0; rank < pieces.size() && fits; ++rank) {
      auto [entry, isNew] = known.try_emplace({int64_t(rank), pieces[rank]});
      RankOption &option = entry->second;
      if (isNew)
        option =
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
                   RankPricer &pricer, const LabelSearch::Cuts &found) {
  Partition partition{found.step, row.stages(found.ends)};
  assignRecompute(problem, pricer, partition.stages);
  return partition;
}

} // namespace

namespace {

/// Whether there are at most `most` ways to choose `cuts` of `places`.
bool areFewCuts(int64_t places, int64_t cuts, int64_t most) {
  cuts = std::min(cuts, places - cuts);
  int64_t ways = 1;
  for (int64_t i = 1; i <= cuts; ++i) {
    ways = ways * (places - cuts + i) / i;
    if (ways > most)
      return false;
  }
  return true;
}

} // namespace

std::vector<std::vector<int64_t>> listedCuts(const Chain &chain,
                                             int64_t stages) {
  std::vector<std::vector<int64_t>> all;
  if (stages > chain.units())
    return all;
  std::vector<int64_t> cuts;
  constexpr int64_t few = 2000;
  if (!areFewCuts(chain.units() - 1, stages - 1, few)) {
    for (int64_t stage = 1; stage < stages; ++stage)
      cuts.push_back(chain.units() * stage / stages);
    return {cuts};
  }
  for (int64_t stage = 1; stage < stages; ++stage)
    cuts.push_back(stage);
  while (true) {
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
}

std::optional<Partition> bestPartition(const PartitionProblem &problem,
                                       Nanoseconds atLeast,
                                       Nanoseconds atMost) {
  if (problem.outer.pipeline * problem.outer.virtualStages >
      problem.chain.units())
    return std::nullopt;
  RankPricer pricer(problem.model, problem.chain, problem.prices,
                    problem.allowed);
  std::unique_ptr<RankRow> row = rankRow(problem);
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
