// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/CollectiveSchedule.h"

#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith::lower {

using Json = nlohmann::ordered_json;

static std::vector<int64_t> ranksThatRun(const CollectiveSchedule &schedule,
                                         size_t program) {
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < schedule.mesh().rankCount(); ++rank)
    if (schedule.programOf(rank) == program)
      ranks.push_back(rank);
  return ranks;
}

/// Groups of ranks with the same exchange, each once.
static std::vector<std::vector<int64_t>>
groupsOf(const CollectiveSchedule &schedule, const CollectiveStep &step,
         const std::vector<int64_t> &ranks) {
  std::vector<std::vector<int64_t>> groups;
  for (int64_t rank : ranks) {
    std::vector<int64_t> group = schedule.ranksOf(step, rank);
    bool isNew = std::ranges::none_of(
        groups, [&](const auto &known) { return known == group; });
    if (isNew)
      groups.push_back(std::move(group));
  }
  return groups;
}

std::string CollectiveSchedule::toJson() const {
  Json mesh = Json::array();
  for (const RankMesh::Axis &axis : rankMesh.allAxes())
    mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  // Steps name their groups by number: there are few.
  std::vector<std::vector<std::vector<int64_t>>> groups;
  Json programs = Json::array();
  for (size_t number = 0; number < allPrograms.size(); ++number) {
    std::vector<int64_t> ranks = ranksThatRun(*this, number);
    Json steps = Json::array();
    for (const CollectiveStep &step : allPrograms[number]) {
      auto own = groupsOf(*this, step, ranks);
      auto found = std::ranges::find(groups, own);
      int64_t group = found - groups.begin();
      if (found == groups.end())
        groups.push_back(std::move(own));
      Json json = {{"kind", step.kind}};
      if (!step.reduction.empty())
        json["reduction"] = step.reduction;
      json["axes"] = step.axes;
      json["groups"] = group;
      if (step.peer >= 0)
        json["peer"] = step.peer;
      if (!step.pairs.empty())
        json["pairs"] = step.pairs;
      json["element"] = step.element;
      json["elements"] = step.elements;
      json["bytes"] = step.bytes.count();
      if (!step.function.empty())
        json["function"] = step.function;
      if (step.microBatch >= 0)
        json["micro_batch"] = step.microBatch;
      steps.push_back(std::move(json));
    }
    programs.push_back({{"ranks", ranks}, {"steps", std::move(steps)}});
  }
  std::string problem = findProblem();
  Json json = {{"format", "shardsmith-collectives/1"},
               {"ranks", rankMesh.rankCount()},
               {"mesh", std::move(mesh)},
               {"groups", groups},
               {"programs", std::move(programs)},
               {"problem", problem.empty() ? Json() : Json(problem)}};
  return jsonText(json) + "\n";
}

std::string CollectiveSchedule::describe() const {
  std::string text;
  for (size_t number = 0; number < allPrograms.size(); ++number) {
    std::vector<int64_t> ranks = ranksThatRun(*this, number);
    const auto &steps = allPrograms[number];
    text += fmt::format("ranks {}: {} exchanges\n", fmt::join(ranks, ","),
                        steps.size());
    // Equal exchanges in a row are one line.
    for (size_t i = 0; i < steps.size();) {
      const CollectiveStep &step = steps[i];
      size_t end = i + 1;
      while (end < steps.size() && steps[end].matches(step) &&
             steps[end].peer == step.peer &&
             steps[end].function == step.function &&
             steps[end].microBatch == step.microBatch)
        ++end;
      std::string what = step.kind;
      if (!step.reduction.empty())
        what += " " + step.reduction;
      if (step.peer >= 0)
        what += fmt::format(" {} {}", step.kind == "send" ? "to" : "from",
                            step.peer);
      std::string size = fmt::format("{} x {}", step.elements, step.element);
      text += fmt::format("  {:>5}  {:<22} {:<16} {:>16} {:>12} bytes", i, what,
                          fmt::format("{}", fmt::join(step.axes, ",")), size,
                          step.bytes.count());
      if (end - i > 1)
        text += fmt::format("  {} in a row", end - i);
      if (step.microBatch >= 0)
        text += fmt::format("  micro-batch {}", step.microBatch);
      text += "\n";
      i = end;
    }
  }
  std::string problem = findProblem();
  return text + (problem.empty()
                     ? "all ranks of every group come to the same exchanges "
                       "in the same order\n"
                     : problem + "\n");
}

} // namespace shardsmith::lower
