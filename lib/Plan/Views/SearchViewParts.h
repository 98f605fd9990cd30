// SPDX-License-Identifier: Apache-2.0
//
// One function per view of the search, and what they have in common.

#ifndef SHARDSMITH_LIB_PLAN_VIEWS_SEARCHVIEWPARTS_H
#define SHARDSMITH_LIB_PLAN_VIEWS_SEARCHVIEWPARTS_H

#include "../Chains/ChainLayouts.h"
#include "../Chains/CutLists.h"
#include "../Space/Space.h"

#include "shardsmith/Plan/Views/SearchViews.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>

namespace shardsmith::search {

std::string showChain(const CostContext &context);
std::string showSpace(const CostContext &context,
                      const SearchConstraints &constraints);
std::string showBlocks(const CostContext &context,
                       const SearchConstraints &constraints);
std::string showBounds(const CostContext &context,
                       const SearchConstraints &constraints);
std::string showStages(const CostContext &context,
                       const SearchConstraints &constraints);
std::string showRanking(const CostContext &context,
                        const SearchOptions &options);
std::string showFixed(const CostContext &context,
                      const SearchConstraints &constraints);

/// A text that grows line by line.
class ViewText {
public:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values &&...values) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Values>(values)...);
    text += '\n';
  }
  std::string take() { return std::move(text); }

private:
  std::string text;
};

/// `tensor=2 pipeline=1 data=4 micro-batch=8`, with context and expert degrees
/// that are above 1.
std::string textOf(const ParallelConfiguration &degrees);
/// `tensor-context-data-pipeline`, from neighbouring devices to distant ones.
/// `1f1b`, `interleaved with 2 stages per rank`.
std::string textOf(const ScheduleChoice &choice);
/// `2`, or `2 over 4 ranks` where a copy belongs to a part of the replicas.
std::string textOf(const ZeroChoice &choice);
/// `block 1 (layer)`.
std::string nameOfBlock(const workload::Workload &workload,
                        workload::BlockIndex block);
/// `whole`, `split 1`, `partial`.
std::string textOf(const TensorLayout &layout);
/// A number of nanoseconds, or `cannot run`.
std::string textOf(Nanoseconds time);

/// `text(each)` of all elements, joined by commas.
template <typename Range, typename Text>
std::string joined(const Range &range, Text text) {
  std::string all;
  for (const auto &each : range) {
    if (!all.empty())
      all += ", ";
    all += text(each);
  }
  return all;
}

/// The parts of the search that several views look at, for one workload on one
/// cluster.
struct SearchParts {
  /// Both arguments must outlive this object.
  SearchParts(const CostContext &context, const SearchConstraints &constraints);

  /// Calls `visit` for each device order and method of the configuration.
  void eachPlacement(const ParallelConfiguration &degrees,
                     const std::function<void(const Strategy &outer,
                                              const Placement &)> &visit);
  /// Calls `visit` for the strategy of each variant: ZeRO stages first, then
  /// schedules.
  void eachVariant(const Strategy &placed, const ParallelConfiguration &degrees,
                   const std::function<void(const Strategy &outer)> &visit);
  /// The fastest layout of the chain; nothing if some block cannot run.
  struct Fastest {
    UnitPrices prices;
    std::vector<BlockLayout> layouts;
  };
  std::optional<Fastest> fastestLayout(const Strategy &outer,
                                       const Placement &placement);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::vector<ParallelConfiguration> configurations;
  Chain chain;
  CutLists cuts;
  Placements placements;
  UnitModels models;
  std::function<bool()> mustStop = [] { return false; };
  ChainLayouts layouts;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_VIEWS_SEARCHVIEWPARTS_H
