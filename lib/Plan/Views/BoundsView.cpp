// SPDX-License-Identifier: Apache-2.0

#include "../Configurations/ConfigurationSearch.h"
#include "SearchViewParts.h"

namespace shardsmith::search {

namespace {

class BoundsView {
public:
  BoundsView(const CostContext &context, const SearchConstraints &constraints)
      : context(context),
        configurations(parallelConfigurations(context, constraints)),
        search(context, constraints, configurations, 1, [] { return false; }) {}

  std::string take() {
    text.line("bounds: {} configurations", configurations.size());
    text.line("every rank needs {} bytes beside what it holds; parameters "
              "with gradients and states take {} bytes on all ranks",
              StepModel::overheadBytes(context).count(),
              StepModel::leastHeld(context).count());
    for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
      text.line("a device of {} has {} bytes",
                context.topology.pools()[pool].type,
                usableMemory(context, pool).count());
    size_t listed = std::min(configurations.size(), mostListed);
    for (size_t i = 0; i < listed; ++i)
      addConfiguration(configurations[i]);
    if (listed < configurations.size())
      text.line("and {} more configurations", configurations.size() - listed);
    return text.take();
  }

private:
  void addConfiguration(const ParallelConfiguration &degrees) {
    text.line("configuration {}", textOf(degrees));
    Nanoseconds ops = search.bounds().ofOps(degrees);
    if (ops.isSaturated()) {
      text.line("  ops alone: no room");
      return;
    }
    constexpr Nanoseconds any = Nanoseconds::saturated();
    Nanoseconds relaxed = search.relaxedBound(degrees, any);
    Nanoseconds variants = search.variantBound(degrees, any);
    auto boundOf = [](Nanoseconds bound) {
      return bound.isSaturated() ? std::string("no room") : textOf(bound);
    };
    text.line("  ops alone: {}", ops.count());
    text.line("  fastest layouts: {}", textOf(search.unitBound(degrees)));
    text.line("  best paths of any order: {}", boundOf(relaxed));
    text.line("  best variant: {}", boundOf(variants));
    search.eachVariant(degrees, any,
                       [&](const VariantBounds::OpenVariant &variant) {
                         addVariant(variant);
                       });
    ConfigurationResult result = search.run(degrees, any, any, {});
    if (result.best)
      text.line("  step: {} {}", result.best->step.count(),
                result.best->strategy.str());
    else
      text.line("  step: nothing fits");
  }

  void addVariant(const VariantBounds::OpenVariant &variant) {
    const Strategy &outer = variant.outer;
    std::string name =
        textOf(ScheduleChoice{outer.schedule, outer.virtualStages});
    text.line("  variant {} zero {} order {}: {}", name,
              textOf(ZeroChoice{outer.zeroStage, outer.zeroGroup}),
              textOf(outer.deviceOrder), variant.bound.count());
    if (outer.pipeline == 1)
      return;
    for (const LayoutBound &bound : variant.bounds) {
      const std::optional<ActivationBudgets> &budgets =
          bound.activationBudgets();
      if (budgets)
        text.line("    room per micro-batch: {}",
                  joined(budgets->budgets, [](const RankBudget &budget) {
                    return fmt::format("{} on {} ranks", budget.budget.count(),
                                       budget.count);
                  }));
    }
  }

  const CostContext &context;
  std::vector<ParallelConfiguration> configurations;
  ConfigurationSearch search;
  ViewText text;
};

} // namespace

std::string showBounds(const CostContext &context,
                       const SearchConstraints &constraints) {
  return BoundsView(context, constraints).take();
}

} // namespace shardsmith::search
