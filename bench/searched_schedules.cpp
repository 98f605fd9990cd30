// SPDX-License-Identifier: Apache-2.0
//
// How much faster than the best schedule family a searched table is where
// stages differ:
//
//     build/release/bench/searched_schedules [PIPELINES PER ROW [EFFORT]]
//
// Prints a Markdown table with one row per way in which stages differ. Times
// are those of the simulation, of random pipelines with the same seed in every
// run; both sides obey the same memory limits and are played in the same run.

#include "shardsmith/Schedule/ScheduleSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <random>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

using Random = std::mt19937_64;

double uniform(Random &random, double least, double most) {
  return least + (most - least) * double(random() >> 11) * 0x1p-53;
}
int64_t oneOf(Random &random, std::initializer_list<int64_t> choices) {
  return choices.begin()[random() % choices.size()];
}

/// A stage of `layers` layers of 1 ms forward, as of a transformer: gradients
/// of activations and of parameters take as long as the forward pass.
StageDurations stageOf(double layers, double speed = 1) {
  auto time = [&](double share) {
    return Nanoseconds(std::llround(1e6 * layers * share / speed));
  };
  StageDurations stage;
  stage.forward = time(1);
  stage.backwardInput = time(1);
  stage.backwardWeight = time(0.95);
  stage.sendForward = stage.sendBackward = Nanoseconds(50'000);
  stage.savedUntilWeight = Bytes(std::llround(1e6 * layers));
  return stage;
}

struct Row {
  const char *name;
  /// Sets the stages of a problem whose ranks are chosen.
  std::function<void(PipelineProblem &, Random &)> fill;
};

const std::vector<Row> rows = {
    {"equal stages",
     [](PipelineProblem &problem, Random &) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank)
         problem.stages.push_back(stageOf(4));
     }},
    {"last stage with a large vocabulary's head",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank)
         problem.stages.push_back(
             stageOf(rank + 1 < problem.ranks ? 4 : uniform(random, 4.5, 8)));
     }},
    {"light first stage and heavy last one",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank)
         problem.stages.push_back(stageOf(4));
       problem.stages.front() = stageOf(uniform(random, 1, 3));
       problem.stages.back() = stageOf(uniform(random, 4.5, 8));
     }},
    {"every stage 0.7 to 1.3 of the mean",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank)
         problem.stages.push_back(stageOf(4 * uniform(random, 0.7, 1.3)));
     }},
    {"every pass of every stage 0.5 to 1.5 of the mean",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank) {
         StageDurations stage = stageOf(4);
         for (Nanoseconds *time :
              {&stage.forward, &stage.backwardInput, &stage.backwardWeight})
           *time = Nanoseconds(
               std::llround(double(time->count()) * uniform(random, 0.5, 1.5)));
         problem.stages.push_back(stage);
       }
     }},
    {"encoder stages half as long as decoder stages",
     [](PipelineProblem &problem, Random &) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank)
         problem.stages.push_back(stageOf(2 * rank < problem.ranks ? 2 : 4));
     }},
    {"every other stage recomputes",
     [](PipelineProblem &problem, Random &) {
       for (int64_t rank = 0; rank < problem.ranks; ++rank) {
         StageDurations stage = stageOf(4);
         if (rank % 2 > 0) {
           stage.recompute = stage.forward;
           stage.savedUntilWeight = Bytes(400'000);
         }
         problem.stages.push_back(stage);
       }
     }},
    {"two stages per rank, each 0.7 to 1.3 of the mean",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t stage = 0; stage < 2 * problem.ranks; ++stage)
         problem.stages.push_back(stageOf(2 * uniform(random, 0.7, 1.3)));
     }},
    {"the same, placed in V shape",
     [](PipelineProblem &problem, Random &random) {
       for (int64_t stage = 0; stage < 2 * problem.ranks; ++stage)
         problem.stages.push_back(stageOf(2 * uniform(random, 0.7, 1.3)));
       for (int64_t stage = 0; stage < 2 * problem.ranks; ++stage)
         problem.rankOfStage.push_back(
             std::min(stage, 2 * problem.ranks - 1 - stage));
     }},
};

/// Room on every rank for so many micro-batches of the rank that holds most.
void limitMemory(PipelineProblem &problem, double microBatches) {
  std::vector<Bytes> held(static_cast<size_t>(problem.ranks));
  for (size_t stage = 0; stage < problem.stages.size(); ++stage)
    held[size_t(problem.rankOfStage[stage])] +=
        problem.stages[stage].savedUntilWeight;
  Bytes most = *std::ranges::max_element(held);
  auto limit = Bytes(std::llround(double(most.count()) * microBatches));
  problem.memoryLimits.assign(size_t(problem.ranks), limit);
}

bool fitsAFamily(const PipelineProblem &problem) {
  std::string error;
  ScheduleSearchOptions families;
  families.effort = 0;
  auto found = searchSchedule(problem, error, families);
  return found && !found->families.empty();
}

/// Memory for 1, 1.5 or 2 times as many micro-batches as there are ranks, or as
/// much as some family needs.
PipelineProblem problemOf(const Row &row, Random &random) {
  PipelineProblem problem;
  problem.ranks = oneOf(random, {2, 4, 8});
  problem.microBatches = problem.ranks * oneOf(random, {2, 4});
  problem.simulation.overlapSlowdown = 1.05;
  row.fill(problem, random);
  if (problem.rankOfStage.empty())
    for (size_t stage = 0; stage < problem.stages.size(); ++stage)
      problem.rankOfStage.push_back(int64_t(stage) % problem.ranks);
  double room = double(problem.ranks) * double(oneOf(random, {4, 6, 8})) / 4;
  for (limitMemory(problem, room); !fitsAFamily(problem); room *= 1.25)
    limitMemory(problem, room * 1.25);
  return problem;
}

void print(const Row &row, int64_t pipelines,
           const ScheduleSearchOptions &options) {
  Random random(1);
  double logOfRatios = 0, best = 1, worst = 0, logOfBounds = 0,
         logOfFamilyBounds = 0;
  int64_t faster = 0;
  std::clock_t start = std::clock();
  for (int64_t i = 0; i < pipelines; ++i) {
    PipelineProblem problem = problemOf(row, random);
    std::string error;
    auto found = searchSchedule(problem, error, options);
    if (!found || found->families.empty()) {
      fmt::print(stderr, "{}: {}\n", row.name,
                 found ? "no family fits" : error);
      std::exit(1);
    }
    double period = double(found->period.count());
    double family = double(found->families.front().period.count());
    double bound = double(found->lowerBound.count());
    double ratio = period / family;
    faster += ratio < 1;
    logOfRatios += std::log(ratio);
    logOfBounds += std::log(period / bound);
    logOfFamilyBounds += std::log(family / bound);
    best = std::min(best, ratio);
    worst = std::max(worst, ratio);
  }
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  auto mean = [&](double logs) { return std::exp(logs / double(pipelines)); };
  fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {} of {} | {:.3f} | {:.3f} | "
             "{:.2f} |\n",
             row.name, mean(logOfRatios), best, worst, faster, pipelines,
             mean(logOfFamilyBounds), mean(logOfBounds),
             seconds / double(pipelines));
}

} // namespace

int main(int argc, char **argv) {
  int64_t pipelines = argc > 1 ? std::atoll(argv[1]) : 20;
  ScheduleSearchOptions options;
  if (argc > 2)
    options.effort = std::atoll(argv[2]);
  if (pipelines < 1 || options.effort < 1 || argc > 3) {
    fmt::print(stderr, "usage: searched_schedules [PIPELINES PER ROW "
                       "[EFFORT]]\n");
    return 2;
  }
  fmt::print("| stages | searched ÷ best family: mean | least | most | faster "
             "| best family ÷ busiest rank's work | searched ÷ that work | "
             "processor s |\n"
             "|---|---|---|---|---|---|---|---|\n");
  for (const Row &row : rows)
    print(row, pipelines, options);
}
