// SPDX-License-Identifier: Apache-2.0

#include "../Space/PoolSequences.h"
#include "../Stages/StagePartition.h"
#include "SearchViewParts.h"

#include "shardsmith/Cost/Paths/PipelineLinks.h"

#include <algorithm>
#include <array>

namespace shardsmith::search {

namespace {

class StagesView {
public:
  StagesView(const CostContext &context, const SearchConstraints &constraints)
      : parts(context, constraints) {}

  std::string take() {
    text.line("stages: {} units", parts.chain.units());
    for (const ParallelConfiguration &degrees : parts.configurations)
      parts.eachPlacement(
          degrees, [&](const Strategy &placed, const Placement &placement) {
            std::optional<SearchParts::Fastest> layout =
                parts.fastestLayout(placed, placement);
            if (!layout) {
              text.line("{}: some block cannot run", textOf(degrees));
              return;
            }
            parts.eachVariant(placed, degrees, [&](const Strategy &outer) {
              addVariant(degrees, outer, *layout);
            });
          });
    if (variants > mostListed)
      text.line("and {} more variants", variants - mostListed);
    return text.take();
  }

private:
  void addVariant(const ParallelConfiguration &degrees, const Strategy &outer,
                  const SearchParts::Fastest &layout) {
    for (const std::vector<unsigned> &pools :
         poolSequences(parts.context.topology, outer)) {
      if (++variants > mostListed)
        continue;
      std::string name = fmt::format(
          "{} {} zero {} order {}", textOf(degrees),
          textOf(ScheduleChoice{outer.schedule, outer.virtualStages}),
          textOf(ZeroChoice{outer.zeroStage, outer.zeroGroup}),
          textOf(outer.deviceOrder));
      if (parts.context.topology.pools().size() > 1)
        name += fmt::format(" on pools {}", joined(pools, [](unsigned pool) {
                              return fmt::format("{}", pool);
                            }));
      text.line("{}", name);
      addPartitions(outer, pools, layout);
    }
  }

  void addPartitions(const Strategy &outer, const std::vector<unsigned> &pools,
                     const SearchParts::Fastest &layout) {
    StepModel model(parts.context, outer);
    PipelineLinks links(parts.context.topology, outer, pools);
    PartitionProblem problem{model,         outer,
                             parts.chain,   parts.cuts,
                             layout.prices, parts.constraints.recompute,
                             pools,         links};
    std::optional<Partition> best =
        bestPartition(problem, Nanoseconds(1), Nanoseconds::saturated());
    if (!best) {
      text.line("  no stages fit");
    } else {
      text.line("  best: step {}, played {}", best->step.count(),
                playedStep(outer, *best, layout).count());
      addStages(problem, best->stages);
    }
    addCuts(problem);
  }

  Nanoseconds playedStep(const Strategy &outer, const Partition &partition,
                         const SearchParts::Fastest &layout) const {
    Strategy strategy = outer;
    strategy.stages = partition.stages;
    strategy.layouts = layout.layouts;
    return estimateStep(parts.context, strategy, layout.prices).step();
  }

  void addStages(const PartitionProblem &problem,
                 const std::vector<Stage> &stages) {
    for (size_t number = 0; number < stages.size(); ++number) {
      const Stage &stage = stages[number];
      std::array<int64_t, recomputeChoices> counts = {};
      for (Recompute choice : stage.recompute)
        ++counts[size_t(choice)];
      std::vector<std::string> choices;
      for (size_t choice = 0; choice < counts.size(); ++choice)
        if (counts[choice] > 0)
          choices.push_back(
              fmt::format("{} {}", counts[choice], nameOf(Recompute(choice))));
      text.line("    stage {} on rank {}: units [{}, {}), recompute {}", number,
                pipelineRankOf(problem.outer.schedule, problem.outer.pipeline,
                               int64_t(number)),
                stage.begin, stage.end, joined(choices, std::identity()));
    }
  }

  /// All cuts of the chain, in the order of their first cut.
  void addCuts(const PartitionProblem &problem) {
    size_t stages =
        size_t(problem.outer.pipeline * problem.outer.virtualStages);
    if (stages == 1)
      return;
    std::vector<std::vector<int64_t>> all;
    std::vector<int64_t> cuts;
    collect(stages - 1, 1, cuts, all);
    if (all.size() > mostCuts) {
      text.line("  more than {} cuts", mostCuts);
      return;
    }
    RankPricer pricer(problem.model, problem.links, problem.chain,
                      problem.prices, problem.allowed);
    for (const std::vector<int64_t> &each : all)
      addCut(problem, pricer, each);
  }

  /// Appends to `all` every way to add `left` cuts from `first` on to `cuts`.
  void collect(size_t left, int64_t first, std::vector<int64_t> &cuts,
               std::vector<std::vector<int64_t>> &all) const {
    if (all.size() > mostCuts)
      return;
    if (left == 0) {
      all.push_back(cuts);
      return;
    }
    for (int64_t cut = first; cut < parts.chain.units(); ++cut) {
      cuts.push_back(cut);
      collect(left - 1, cut + 1, cuts, all);
      cuts.pop_back();
    }
  }

  void addCut(const PartitionProblem &problem, RankPricer &pricer,
              const std::vector<int64_t> &cuts) {
    std::string name =
        joined(cuts, [](int64_t cut) { return fmt::format("{}", cut); });
    std::vector<Piece> pieces(size_t(problem.outer.pipeline));
    std::vector<Stage> stages = stagesCutAt(problem, cuts);
    for (size_t stage = 0; stage < stages.size(); ++stage)
      parts.chain.addStage(
          pieces[size_t(pipelineRankOf(
              problem.outer.schedule, problem.outer.pipeline, int64_t(stage)))],
          stages[stage].begin, stages[stage].end);
    StepModel::Totals totals;
    std::vector<std::string> ranks;
    for (size_t rank = 0; rank < pieces.size(); ++rank) {
      RankOption option =
          pricer.option(int64_t(rank), problem.pools[rank], pieces[rank]);
      if (!option.fits) {
        text.line("  cut at {}: no room on rank {}", name, rank);
        return;
      }
      totals.perMicroBatch =
          std::max(totals.perMicroBatch, option.perMicroBatch);
      totals.idle += option.idle;
      totals.tail = std::max(totals.tail, option.tail);
      ranks.push_back(fmt::format("{}", option.perMicroBatch.count()));
    }
    text.line("  cut at {}: step {}, ranks take {} per micro-batch, idle {}, "
              "tail {}",
              name, problem.model.step(totals).count(),
              joined(ranks, std::identity()), totals.idle.count(),
              totals.tail.count());
  }

  static constexpr size_t mostCuts = 64;

  SearchParts parts;
  size_t variants = 0;
  ViewText text;
};

} // namespace

std::string showStages(const CostContext &context,
                       const SearchConstraints &constraints) {
  return StagesView(context, constraints).take();
}

} // namespace shardsmith::search
