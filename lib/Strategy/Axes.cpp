// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace shardsmith {

namespace {

using workload::Workload;

constexpr std::array degrees = {
    DegreeTraits{.degree = Degree::Tensor,
                 .name = "tensor",
                 .key = "tensor",
                 .abbreviation = "tp",
                 .axis = PlanAxis::Tensor},
    DegreeTraits{
        .degree = Degree::Context,
        .name = "context",
        .key = "context",
        .abbreviation = "cp",
        .axis = PlanAxis::Context,
        .most =
            [](const Workload &workload) { return workload.sequenceLength; },
        .parts = "positions of a sequence"},
    DegreeTraits{
        .degree = Degree::Data,
        .name = "data",
        .key = "data",
        .abbreviation = "dp",
        .axis = PlanAxis::Data,
        .most = [](const Workload &workload) { return workload.globalBatch; },
        .parts = "sequences of a step"},
    DegreeTraits{.degree = Degree::Pipeline,
                 .name = "pipeline",
                 .key = "pipeline",
                 .abbreviation = "pp",
                 .axis = PlanAxis::Pipeline},
    DegreeTraits{.degree = Degree::VirtualStages,
                 .name = "virtual-stages",
                 .key = "virtual_stages",
                 .abbreviation = "vpp"},
    DegreeTraits{.degree = Degree::Expert,
                 .name = "expert",
                 .key = "expert",
                 .abbreviation = "ep"},
};

static_assert(
    [] {
      for (size_t i = 0; i < degrees.size(); ++i)
        if (size_t(degrees[i].degree) != i ||
            (i < planAxes && degrees[i].axis != PlanAxis(i)))
          return false;
      return degrees.size() == size_t(Degree::Expert) + 1;
    }(),
    "rows are in the order of Degree and PlanAxis");

} // namespace

std::span<const DegreeTraits> allDegrees() { return degrees; }

std::string_view nameOf(PlanAxis axis) { return degrees[size_t(axis)].name; }

std::string_view nameOf(ContextMethod method) {
  return method == ContextMethod::Ring ? "ring" : "all-to-all";
}

std::vector<PlanAxis> usualDeviceOrder() {
  return {PlanAxis::Tensor, PlanAxis::Context, PlanAxis::Data,
          PlanAxis::Pipeline};
}

std::string textOf(const std::vector<PlanAxis> &order) {
  std::string text;
  for (PlanAxis axis : order)
    text += (text.empty() ? "" : "-") + std::string(nameOf(axis));
  return text;
}

int64_t Degrees::degree(PlanAxis axis) const {
  return (*this)[degrees[size_t(axis)].degree];
}

std::vector<PlanAxis> usedOrder(const std::vector<PlanAxis> &order,
                                const Degrees &ranks) {
  std::vector<PlanAxis> used;
  std::ranges::copy_if(order, std::back_inserter(used),
                       [&](PlanAxis axis) { return ranks.degree(axis) > 1; });
  return used;
}

int64_t Degrees::rankCount() const {
  int64_t ranks = 1;
  for (const DegreeTraits &traits : degrees)
    if (traits.axis)
      ranks *= (*this)[traits.degree];
  return ranks;
}

std::string textOf(const Degrees &degrees) {
  std::string text = fmt::format("tensor={}", degrees.tensor);
  auto append = [&](std::string_view key, int64_t value, int64_t usual) {
    if (value != usual)
      text += fmt::format(" {}={}", key, value);
  };
  append("context", degrees.context, 1);
  if (degrees.context > 1)
    text += fmt::format(" context-method={}", nameOf(degrees.contextMethod));
  append("pipeline", degrees.pipeline, 0);
  append("virtual-stages", degrees.virtualStages, 1);
  append("data", degrees.data, 0);
  append("expert", degrees.expert, 1);
  return text;
}

} // namespace shardsmith
