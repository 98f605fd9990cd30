// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Space/Restrictions.h"

#include "Space.h"
#include "shardsmith/Cost/Units/BlockShapes.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith {
namespace {

using workload::Workload;

/// `chosen` of a restriction that a plan can break in one way only.
auto always(std::string_view text) {
  return [text](const Strategy &) { return std::string(text); };
}

template <typename Member> auto lifts(Member SearchConstraints::*field) {
  return [field](SearchConstraints &constraints) {
    constraints.*field = SearchConstraints().*field;
  };
}

Restriction degreeRestriction(const DegreeTraits &traits) {
  Degree degree = traits.degree;
  return {traits.name,
          [degree](SearchConstraints &constraints) {
            constraints[degree] = DegreeRange();
          },
          [degree](const SearchConstraints &constraints,
                   const Strategy &strategy, const Workload &) {
            return constraints[degree].contains(strategy[degree]);
          },
          [degree](const Strategy &strategy) {
            return fmt::format("{}", strategy[degree]);
          }};
}

/// `count` counts what the range is about.
Restriction rangeRestriction(std::string_view name,
                             DegreeRange SearchConstraints::*range,
                             int64_t (*count)(const Strategy &)) {
  return {name, lifts(range),
          [range, count](const SearchConstraints &constraints,
                         const Strategy &strategy, const Workload &) {
            return (constraints.*range).contains(count(strategy));
          },
          [count](const Strategy &strategy) {
            return fmt::format("{}", count(strategy));
          }};
}

bool allowsZero(const SearchConstraints &constraints, const Strategy &strategy,
                const Workload &) {
  // Without replicas all levels are the same.
  return strategy.replicas() == 1 ||
         constraints.zero[size_t(strategy.zeroStage)];
}

/// Data ranks that share one copy under ZeRO.
int64_t dataRanksPerCopy(const Strategy &strategy) {
  int64_t ranks = strategy.zeroGroup ? strategy.zeroGroup : strategy.replicas();
  return ranks * strategy.data / strategy.replicas();
}

bool allowsCopies(const SearchConstraints &constraints,
                  const Strategy &strategy, const Workload &) {
  return !constraints.dataRanksPerCopy ||
         *constraints.dataRanksPerCopy == dataRanksPerCopy(strategy);
}

bool allowsGroups(const SearchConstraints &constraints,
                  const Strategy &strategy, const Workload &) {
  return constraints.zeroGroups || strategy.zeroStage == 0 ||
         strategy.zeroGroup == 0 || strategy.zeroGroup == strategy.replicas();
}

bool hasAttention(const workload::Block &block) {
  return std::ranges::any_of(block.ops, [](const workload::Op &op) {
    return op.attention.has_value();
  });
}

/// Whether `holds` for every unit: its number, whether it is a layer, and its
/// choice.
template <typename Holds>
bool everyUnit(const Strategy &strategy, const Workload &workload,
               Holds holds) {
  auto stage = strategy.stages.begin();
  int64_t unit = 0;
  for (const workload::Segment &segment : workload.segments) {
    bool isLayer = hasAttention(workload.blocks[segment.block]);
    for (int64_t i = 0; i < segment.count; ++i, ++unit) {
      while (stage->end <= unit)
        ++stage;
      if (!holds(size_t(unit), isLayer,
                 stage->recompute[size_t(unit - stage->begin)]))
        return false;
    }
  }
  return true;
}

bool allowsRecompute(const SearchConstraints &constraints,
                     const Strategy &strategy, const Workload &workload) {
  const std::vector<Recompute> &given = constraints.unitRecompute;
  return everyUnit(
      strategy, workload, [&](size_t unit, bool isLayer, Recompute choice) {
        bool isGiven = given.empty() ? constraints.recompute[size_t(choice)]
                                     : given[unit] == choice;
        return isGiven || (constraints.onlyLayersRecompute && !isLayer);
      });
}

bool allowsRecomputed(const SearchConstraints &constraints,
                      const Strategy &strategy, const Workload &workload) {
  return everyUnit(strategy, workload,
                   [&](size_t, bool isLayer, Recompute choice) {
                     return !constraints.onlyLayersRecompute ||
                            choice == Recompute::None || isLayer;
                   });
}

std::string chosenRecompute(const Strategy &strategy) {
  std::string text;
  for (Recompute choice :
       {Recompute::None, Recompute::Selective, Recompute::Full}) {
    bool isUsed = std::ranges::any_of(strategy.stages, [&](const Stage &stage) {
      return std::ranges::find(stage.recompute, choice) !=
             stage.recompute.end();
    });
    if (isUsed)
      text += (text.empty() ? "" : "+") + std::string(nameOf(choice));
  }
  return text;
}

void liftRecompute(SearchConstraints &constraints) {
  constraints.recompute = SearchConstraints().recompute;
  constraints.unitRecompute.clear();
}

bool allowsStages(const SearchConstraints &constraints,
                  const Strategy &strategy, const Workload &) {
  auto isOfSize = [](int64_t size, const Stage &stage) {
    return size == stage.end - stage.begin;
  };
  return constraints.stageSizes.empty() ||
         std::ranges::equal(constraints.stageSizes, strategy.stages, isOfSize);
}

std::string chosenStages(const Strategy &strategy) {
  std::string text;
  for (const Stage &stage : strategy.stages)
    text +=
        fmt::format("{}{}", text.empty() ? "" : "+", stage.end - stage.begin);
  return text;
}

bool allowsSchedule(const SearchConstraints &constraints,
                    const Strategy &strategy, const Workload &) {
  if (constraints.schedules[size_t(strategy.schedule)])
    return true;
  // On one rank families differ by what they hold only.
  auto held = [](const ScheduleTraits &traits) {
    constexpr int64_t many = 1 << 20;
    return traits.inFlight({.microBatches = many}, 0);
  };
  return strategy.pipeline == 1 &&
         std::ranges::any_of(
             allScheduleTraits(), [&](const ScheduleTraits &traits) {
               return constraints.schedules[size_t(traits.family)] &&
                      traits.stagesPerRank == 1 &&
                      held(traits) <= held(traitsOf(strategy.schedule));
             });
}

bool allowsRounds(const SearchConstraints &constraints,
                  const Strategy &strategy, const Workload &workload) {
  return !constraints.onlyWholeRounds || strategy.pipeline == 1 ||
         !traitsOf(strategy.schedule).hasRounds ||
         strategy.microBatchCount(workload.globalBatch) % strategy.pipeline ==
             0;
}

bool allowsMethod(const SearchConstraints &constraints,
                  const Strategy &strategy, const Workload &) {
  return !strategy.hasMethods() ||
         constraints.contextMethods[size_t(strategy.contextMethod)];
}

bool allowsEven(const SearchConstraints &constraints, const Strategy &strategy,
                const Workload &workload) {
  if (!constraints.onlyEven)
    return true;
  return strategy.dataShares.empty() &&
         workload.globalBatch % (strategy.data * strategy.microBatch) == 0 &&
         search::ModelLimits(workload).heads % strategy.tensor == 0;
}

bool allowsOrder(const SearchConstraints &constraints, const Strategy &strategy,
                 const Workload &) {
  return !constraints.deviceOrder ||
         usedOrder(*constraints.deviceOrder, strategy) ==
             usedOrder(strategy.deviceOrder, strategy);
}

/// Whether a tensor axis that may split positions and features as the setting
/// says has all layouts of the plan.
bool hasLayouts(UnitSetting setting, const Strategy &strategy,
                const Workload &workload) {
  if (strategy.tensor == 1)
    return true;
  static_cast<UnitDegrees &>(setting) = strategy.unit();
  setting.microBatch = strategy.microBatch;
  for (size_t i = 0; i < workload.blocks.size(); ++i) {
    const workload::Block &block = workload.blocks[i];
    const BlockLayout &layout = strategy.layouts[i];
    BlockShapes shapes(block, setting);
    auto has = [](const auto &choices, const auto &choice) {
      return std::ranges::find(choices, choice) != choices.end();
    };
    for (workload::OpIndex op = 0; op < block.ops.size(); ++op)
      if (!has(shapes.splits(op), layout.ops[op]))
        return false;
    for (workload::TensorIndex tensor = 0; tensor < block.tensors.size();
         ++tensor)
      if (block.tensors[tensor].role == workload::TensorRole::Activation &&
          !has(shapes.layouts(tensor), layout.tensors[tensor]))
        return false;
  }
  return true;
}

bool allowsPositions(const SearchConstraints &constraints,
                     const Strategy &strategy, const Workload &workload) {
  UnitSetting setting;
  setting.sequenceParallel = constraints.sequenceParallel;
  return constraints.sequenceParallel ||
         hasLayouts(setting, strategy, workload);
}

bool allowsFeatures(const SearchConstraints &constraints,
                    const Strategy &strategy, const Workload &workload) {
  UnitSetting setting;
  setting.splitsFeatures = constraints.splitsFeatures;
  return constraints.splitsFeatures || hasLayouts(setting, strategy, workload);
}

/// What splits a unit comes first, what splits the chain next, and the number
/// of replicas last.
std::vector<const DegreeTraits *> degreesAsLifted() {
  std::vector<const DegreeTraits *> all;
  for (const DegreeTraits &traits : allDegrees())
    all.push_back(&traits);
  std::ranges::sort(all, {}, [](const DegreeTraits *traits) {
    Degree degree = traits->degree;
    bool cutsChain =
        degree == Degree::Pipeline || degree == Degree::VirtualStages;
    int place = degree == Degree::Data ? 2 : int(cutsChain);
    return std::pair(place, degree);
  });
  return all;
}

std::vector<Restriction> makeRestrictions() {
  using C = SearchConstraints;
  auto name = [](auto name) { return std::string(nameOf(name)); };
  std::vector<Restriction> all = {
      {"recompute", liftRecompute, allowsRecompute, chosenRecompute},
      {"recomputed", lifts(&C::onlyLayersRecompute), allowsRecomputed,
       always("any")},
      {"zero", lifts(&C::zero), allowsZero,
       [](const Strategy &s) { return fmt::format("{}", s.zeroStage); }},
      {"fsdp", lifts(&C::dataRanksPerCopy), allowsCopies,
       [](const Strategy &s) {
         return fmt::format("{}", dataRanksPerCopy(s));
       }},
      {"stages", lifts(&C::stageSizes), allowsStages, chosenStages},
      rangeRestriction("micro-batch", &C::microBatch,
                       [](const Strategy &s) { return s.microBatch; }),
      {"schedule", lifts(&C::schedules), allowsSchedule,
       [=](const Strategy &s) { return name(s.schedule); }},
      {"sp", lifts(&C::sequenceParallel), allowsPositions, always("on")},
      {"features", lifts(&C::splitsFeatures), allowsFeatures, always("on")},
      {"even", lifts(&C::onlyEven), allowsEven, always("off")},
      {"zero-groups", lifts(&C::zeroGroups), allowsGroups, always("on")},
      {"rounds", lifts(&C::onlyWholeRounds), allowsRounds, always("any")},
      {"order", lifts(&C::deviceOrder), allowsOrder,
       [](const Strategy &s) { return textOf(s.deviceOrder); }},
      {"context-method", lifts(&C::contextMethods), allowsMethod,
       [=](const Strategy &s) { return name(s.contextMethod); }}};
  for (const DegreeTraits *traits : degreesAsLifted())
    all.push_back(degreeRestriction(*traits));
  all.push_back(rangeRestriction(
      "devices", &C::devices, [](const Strategy &s) { return s.rankCount(); }));
  return all;
}

} // namespace

std::span<const Restriction> allRestrictions() {
  static const std::vector<Restriction> all = makeRestrictions();
  return all;
}

} // namespace shardsmith
