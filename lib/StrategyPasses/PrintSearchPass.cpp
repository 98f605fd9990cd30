// SPDX-License-Identifier: Apache-2.0

#include "ReadSearch.h"

#include "shardsmith/Plan/Views/SearchViews.h"
#include "shardsmith/StrategyPasses/Passes.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_PRINTSEARCH
#include "shardsmith/StrategyPasses/Passes.h.inc"

namespace {

class PrintSearchPass : public impl::PrintSearchBase<PrintSearchPass> {
public:
  using PrintSearchBase::PrintSearchBase;

  void runOnOperation() override {
    std::vector<SearchView> views;
    std::string problem = readViews(views);
    std::optional<SearchObjective> minimised = readObjective(problem);
    if (!problem.empty())
      return fail(problem);
    std::unique_ptr<SearchProblem> read = readSearch(
        getOperation(), {cluster, profile, fix, forbid, margin, timeLimit});
    if (!read)
      return signalPassFailure();
    if (*minimised != SearchObjective::Time && !hasPrices(*read))
      return fail("objective: some device has no price_per_hour_usd");
    read->options.planCount = size_t(std::max<int64_t>(plans, 1));
    read->options.objective = *minimised;
    for (SearchView view : views)
      llvm::outs() << showSearch(view, read->context(), read->options);
  }

private:
  /// Appends the views that `show` names; returns what is wrong with it, or
  /// nothing.
  std::string readViews(std::vector<SearchView> &views) const {
    for (const std::string &name : show) {
      std::optional<SearchView> view = searchViewNamed(name);
      if (!view) {
        std::string known;
        for (SearchView each : allSearchViews())
          (known += known.empty() ? "" : ", ") += nameOf(each);
        return fmt::format("show: '{}' is no view; expected one of {}", name,
                           known);
      }
      views.push_back(*view);
    }
    if (views.empty())
      views.assign(allSearchViews().begin(), allSearchViews().end());
    return {};
  }

  std::optional<SearchObjective> readObjective(std::string &problem) const {
    if (objective == "time")
      return SearchObjective::Time;
    if (objective == "dollars")
      return SearchObjective::Dollars;
    if (objective == "front")
      return SearchObjective::Front;
    problem = "objective: '" + objective +
              "' is none; expected time, dollars or front";
    return std::nullopt;
  }

  static bool hasPrices(const SearchProblem &problem) {
    const ClusterTopology &topology = problem.topology;
    for (unsigned pool = 0; pool < topology.pools().size(); ++pool)
      if (!topology.deviceType(pool).dollarsPerHour)
        return false;
    return true;
  }

  void fail(const std::string &problem) {
    emitError(getOperation().getLoc(), problem);
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
