// SPDX-License-Identifier: Apache-2.0

#include "StagePartition.h"
#include "LabelSearch.h"

#include <algorithm>

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
        stage->recompute.insert(
            stage->recompute.end(), size_t(count),
            chain.given(segment).value_or(Recompute(choice)));
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

} // namespace

std::vector<Stage> stagesCutAt(const PartitionProblem &problem,
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

std::optional<Partition> summed(const PartitionProblem &problem,
                                RankPricer &pricer, std::vector<Stage> stages,
                                Nanoseconds below) {
  std::vector<Piece> pieces = piecesOf(problem, stages);
  StepModel::Totals totals;
  for (size_t rank = 0; rank < pieces.size(); ++rank) {
    RankOption option =
        pricer.option(int64_t(rank), problem.pools[rank], pieces[rank]);
    if (!option.fits)
      return std::nullopt;
    totals.perMicroBatch = std::max(totals.perMicroBatch, option.perMicroBatch);
    totals.idle += option.idle;
    totals.tail = std::max(totals.tail, option.tail);
  }
  Nanoseconds step = problem.model.step(totals);
  if (step >= below)
    return std::nullopt;
  assignRecompute(problem, pricer, stages);
  return Partition{step, std::move(stages)};
}

namespace {

/// The best of the listed cuts, priced one by one; the first of equally good
/// ones.
std::optional<Partition> bestListed(const PartitionProblem &problem,
                                    RankPricer &pricer, Nanoseconds atMost) {
  const CutList &list = problem.cuts.of(problem.outer);
  const CutList::Cut *best = nullptr;
  Nanoseconds limit = atMost;
  auto isGood = [&](const StepModel::Totals &totals) {
    Nanoseconds step = problem.model.step(totals);
    return best ? step < limit : step <= limit;
  };
  for (const CutList::Cut &cut : list.cuts) {
    StepModel::Totals totals;
    Nanoseconds idle;
    bool mayBeGood = true;
    for (size_t rank = 0; rank < cut.pieces.size() && mayBeGood; ++rank) {
      size_t piece = cut.pieces[rank];
      const RankOption &option =
          pricer.option(int64_t(rank), problem.pools[rank], piece,
                        [&] { return list.pieces[piece]; });
      totals.perMicroBatch =
          std::max(totals.perMicroBatch, option.perMicroBatch);
      idle += option.idle;
      totals.tail = std::max(totals.tail, option.tail);
      // Idle time makes no step shorter, so the cut may be excluded before all
      // of its idle time is known.
      mayBeGood = option.fits && isGood(totals);
    }
    totals.idle = idle;
    if (mayBeGood && isGood(totals)) {
      best = &cut;
      limit = problem.model.step(totals);
    }
  }
  if (!best)
    return std::nullopt;
  Partition partition{limit, stagesCutAt(problem, best->begins)};
  assignRecompute(problem, pricer, partition.stages);
  return partition;
}

Partition finished(const PartitionProblem &problem,
                   const PartitionSequence &sequence, RankPricer &pricer,
                   const LabelSearch::Cuts &found) {
  Partition partition{found.step, sequence.stages(found.ends)};
  assignRecompute(problem, pricer, partition.stages);
  return partition;
}

} // namespace

std::optional<Partition> bestPartition(const PartitionProblem &problem,
                                       Nanoseconds atLeast,
                                       Nanoseconds atMost) {
  if (problem.outer.pipeline * problem.outer.virtualStages >
      problem.chain.units())
    return std::nullopt;
  RankPricer pricer(problem.model, problem.links, problem.chain, problem.prices,
                    problem.allowed);
  std::unique_ptr<PartitionSequence> sequence = partitionSequence(problem);
  if (!sequence)
    return bestListed(problem, pricer, atMost);

  // A narrow limit leaves few labels, and whatever is found within a limit is
  // the best of all. So the limit is raised until something is found.
  LabelSearch search(problem, *sequence, pricer);
  for (int64_t perMille : {2, 10, 40, 160, 640}) {
    Nanoseconds limit =
        atLeast + Nanoseconds(atLeast.count() / 1000 * perMille);
    if (limit >= atMost)
      break;
    if (auto found = search.run(limit))
      return finished(problem, *sequence, pricer, *found);
  }
  if (auto found = search.run(atMost))
    return finished(problem, *sequence, pricer, *found);
  return std::nullopt;
}

} // namespace shardsmith::search
