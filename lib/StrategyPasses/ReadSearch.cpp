// SPDX-License-Identifier: Apache-2.0

#include "ReadSearch.h"

#include "ReadWorkload.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"

#include "mlir/IR/OwningOpRef.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {

namespace {

/// Writes the options into `to`; returns what is wrong with them, or nothing.
std::string readOptions(const SearchTexts &texts, SearchProblem &to) {
  SearchConstraints &constraints = to.options.constraints;
  if (!texts.fix.empty())
    if (std::optional<std::string> problem = constraints.fix(texts.fix))
      return "fix: " + *problem;
  if (!texts.forbid.empty())
    if (std::optional<std::string> problem = constraints.forbid(texts.forbid))
      return "forbid: " + *problem;
  if (!(texts.margin >= 0 && texts.margin < 1))
    return fmt::format("margin: expected a share of at least 0 and below 1, "
                       "got {}",
                       texts.margin);
  to.estimate.memoryMargin = texts.margin;
  // No search takes ten years.
  if (texts.timeLimit > 0)
    to.options.timeLimit = std::chrono::milliseconds(
        int64_t(std::min(texts.timeLimit, 3e8) * 1e3));
  return {};
}

} // namespace

std::unique_ptr<SearchProblem> readSearch(ModuleOp module,
                                          const SearchTexts &texts) {
  auto fail = [&](const std::string &problem) {
    emitError(module.getLoc(), problem);
    return nullptr;
  };
  if (!module.getOps<sdy::MeshOp>().empty())
    return fail("the module has a mesh, and so shardings of its own; the "
                "strategy search decides all layouts");
  OwningOpRef<ModuleOp> plain = cast<ModuleOp>(module->clone());
  smith::eraseCustomDerivatives(*plain);
  std::optional<workload::Workload> workload = readWorkload(*plain, nullptr);
  if (!workload)
    return nullptr;
  ClusterResult found = findCluster(texts.cluster);
  if (!found.cluster)
    return fail(found.errorText());
  if (std::string limits = found.cluster->limitsProblem(); !limits.empty())
    return fail(limits);
  std::string problem;
  std::optional<StackProfile> stack =
      findProfile(texts.profile.empty() ? defaultProfileName(*found.cluster)
                                        : texts.profile,
                  problem);
  if (!stack)
    return fail(problem);
  auto read = std::make_unique<SearchProblem>(
      std::move(*workload), std::move(*found.cluster), std::move(*stack));
  problem = readOptions(texts, *read);
  if (!problem.empty())
    return fail(problem);
  return read;
}

} // namespace shardsmith
