// SPDX-License-Identifier: Apache-2.0

#include "SearchViewParts.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace shardsmith {

namespace {

constexpr std::array views = {
    SearchView::Chain,  SearchView::Space,  SearchView::Blocks,
    SearchView::Bounds, SearchView::Stages, SearchView::Ranking,
    SearchView::Fixed,
};
constexpr std::array<std::string_view, views.size()> names = {
    "chain", "space", "blocks", "bounds", "stages", "ranking", "fixed",
};

} // namespace

std::string_view nameOf(SearchView view) { return names[size_t(view)]; }

std::optional<SearchView> searchViewNamed(std::string_view name) {
  auto found = std::ranges::find(names, name);
  if (found == names.end())
    return std::nullopt;
  return views[size_t(found - names.begin())];
}

std::span<const SearchView> allSearchViews() { return views; }

std::string showSearch(SearchView view, const CostContext &context,
                       const SearchOptions &options) {
  using namespace search;
  const SearchConstraints &constraints = options.constraints;
  switch (view) {
  case SearchView::Chain:
    return showChain(context);
  case SearchView::Space:
    return showSpace(context, constraints);
  case SearchView::Blocks:
    return showBlocks(context, constraints);
  case SearchView::Bounds:
    return showBounds(context, constraints);
  case SearchView::Stages:
    return showStages(context, constraints);
  case SearchView::Ranking:
    return showRanking(context, options);
  case SearchView::Fixed:
    return showFixed(context, constraints);
  }
  return {};
}

namespace search {

std::string textOf(const ParallelConfiguration &degrees) {
  std::string text;
  for (const DegreeTraits &traits : allDegrees()) {
    bool isAlwaysThere = traits.degree == Degree::Tensor ||
                         traits.degree == Degree::Pipeline ||
                         traits.degree == Degree::Data;
    if (isAlwaysThere || degrees[traits.degree] != 1)
      text += fmt::format("{}={} ", traits.name, degrees[traits.degree]);
  }
  return text + fmt::format("micro-batch={}", degrees.microBatch);
}

std::string textOf(const ScheduleChoice &choice) {
  std::string text(nameOf(choice.family));
  if (choice.virtualStages > 1)
    text += fmt::format(" with {} stages per rank", choice.virtualStages);
  return text;
}

std::string textOf(const ZeroChoice &choice) {
  if (choice.group == 0)
    return fmt::format("{}", choice.stage);
  return fmt::format("{} over {} ranks", choice.stage, choice.group);
}

std::string nameOfBlock(const workload::Workload &workload,
                        workload::BlockIndex block) {
  return fmt::format("block {} ({})", block, workload.blocks[block].name);
}

std::string textOf(const TensorLayout &layout) {
  switch (layout.kind) {
  case TensorLayout::Kind::Whole:
    return "whole";
  case TensorLayout::Kind::Split:
    return fmt::format("split {}", layout.dim);
  case TensorLayout::Kind::Partial:
    return "partial";
  }
  return {};
}

std::string textOf(Nanoseconds time) {
  return time.isSaturated() ? "cannot run" : fmt::format("{}", time.count());
}

SearchParts::SearchParts(const CostContext &context,
                         const SearchConstraints &constraints)
    : context(context), constraints(constraints),
      configurations(parallelConfigurations(context, constraints)),
      chain(context.workload, constraints), cuts(chain, constraints.stageSizes),
      placements(context, constraints, configurations),
      models(context, constraints, placements),
      layouts(context, models, constraints, mustStop) {}

void SearchParts::eachPlacement(
    const ParallelConfiguration &degrees,
    const std::function<void(const Strategy &outer, const Placement &)>
        &visit) {
  for (const Placement &placement : placements.of(degrees)) {
    Strategy ordered = degrees.strategy();
    ordered.deviceOrder = placement.order;
    for (const Strategy &outer : withMethods(ordered, degrees, constraints))
      visit(outer, placement);
  }
}

void SearchParts::eachVariant(
    const Strategy &placed, const ParallelConfiguration &degrees,
    const std::function<void(const Strategy &outer)> &visit) {
  GroupPath replicas =
      AxisPaths(context.topology, placed).replicas(1, degrees.replicas(), 0);
  for (const ZeroChoice &zero : zeroChoices(degrees, replicas, constraints))
    for (const ScheduleChoice &schedule :
         scheduleChoices(context.workload, degrees, constraints)) {
      Strategy outer = placed;
      outer.zeroStage = zero.stage;
      outer.zeroGroup = zero.group;
      outer.schedule = schedule.family;
      outer.virtualStages = schedule.virtualStages;
      visit(outer);
    }
}

std::optional<SearchParts::Fastest>
SearchParts::fastestLayout(const Strategy &outer, const Placement &placement) {
  const LayoutList &list = layouts.of(outer, placement, Compare::All);
  if (!list.all())
    return std::nullopt;
  std::optional<Fastest> fastest;
  Nanoseconds least = Nanoseconds::saturated();
  std::vector<size_t> entries;
  std::function<void(const LayoutGroup &)> look =
      [&](const LayoutGroup &group) {
        std::shared_ptr<const LayoutGroup::Parts> parts = group.parts();
        for (const std::unique_ptr<LayoutGroup> &smaller : parts->groups)
          look(*smaller);
        for (const ChainLayout &layout : parts->layouts) {
          Nanoseconds time = layout.sums.onPool(0).time;
          if (fastest &&
              std::tie(least, entries) <= std::tie(time, layout.entries))
            continue;
          fastest = {layout.prices, list.blocksOf(layout)};
          least = time;
          entries = layout.entries;
        }
      };
  look(*list.all());
  return fastest;
}

} // namespace search

} // namespace shardsmith
