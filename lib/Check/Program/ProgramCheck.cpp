// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Check/ProgramCheck.h"

#include "../Rounding.h"
#include "Parts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace shardsmith::check {
namespace {

class ProgramCheck {
public:
  ProgramCheck(ProgramClaims claims, const ProgramInputs &inputs)
      : claims(std::move(claims)), inputs(inputs) {}

  CheckReport run() {
    if (claims.strategy)
      checkRanks(*claims.strategy);
    else
      checkOnlySearch(*claims.onlySearch);
    checkStep(claims, inputs, findings, report);
    checkSchedule(claims, inputs, findings, report);
    checkPrediction();
    checkSearch();
    if (!inputs.executable.empty())
      checkManifest(claims, inputs.executable, findings, report);
    if (inputs.count && findings.empty())
      checkCounts(inputs.count());
    noteUnread();
    report.findings = findings.take();
    return std::move(report);
  }

private:
  template <typename Value>
  void same(const std::string &item, const Value &claimed,
            const Value &actual) {
    ++report.compared;
    if (claimed != actual)
      findings.differs(item, claimed, actual);
  }

  /// The mesh has the ranks of the strategy.
  void checkRanks(const ProgramClaims::OfStrategy &strategy) {
    int64_t tensor = 1, others = 1;
    for (const ClaimedAxis &axis : claims.mesh)
      (axis.name.starts_with("tensor") ? tensor : others) = multiplied(
          axis.name.starts_with("tensor") ? tensor : others, axis.size);
    same("/layouts/train_step/mesh",
         fmt::format("{} tensor × {} other ranks", tensor, others),
         fmt::format("{} tensor × {} other ranks", strategy.tensorRanks,
                     strategy.otherRanks));
  }

  /// Without a strategy the search for layouts is all there is, and the step is
  /// what the layouts cost.
  void checkOnlySearch(const ProgramClaims::OnlySearch &search) {
    same("/prediction/step_ns", claims.step, claims.cost);
    same("/search/objective", search.objective, std::string("time"));
    same("/search/cost", search.cost, claims.cost);
    same("/search/bound", search.bound, claims.bound);
    same("/search/proof", search.proof, claims.proof);
    same("/search/gap", search.gap, claims.gap);
    std::string wanted = "," + search.fix + ",";
    std::erase(wanted, ' ');
    for (const ClaimedAxis &axis : claims.mesh) {
      std::string given = fmt::format(",{}={},", axis.name, axis.size);
      if (size_t at = wanted.find(given); at != std::string::npos)
        wanted.erase(at, given.size() - 1);
    }
    ++report.compared;
    if (!search.fix.empty() && wanted != ",")
      findings.broken("/layouts/train_step/mesh",
                      "does not have the axes of the option fix, {}",
                      search.fix);
  }

  void checkPrediction() {
    const std::string item = "/prediction/train_step";
    // Until a program is there the estimate is the prediction.
    same(item + "/source", claims.predicted.source,
         std::string(inputs.count ? "program" : "search"));
    int64_t bytes = 0;
    for (const ProgramCounts::Traffic &traffic : claims.predicted.traffic)
      bytes = added(bytes, traffic.bytes.count());
    same(item + "/communication_bytes_per_rank", claims.predicted.bytes, bytes);
    if (!inputs.count)
      same(item + "/pipeline_ranks", claims.predicted.pipelineRanks.size(),
           size_t(0));
  }

  static std::multiset<std::string>
  linesOf(const std::vector<ProgramCounts::Traffic> &traffic) {
    std::multiset<std::string> lines;
    for (const ProgramCounts::Traffic &each : traffic) {
      std::string line = fmt::format(
          "{} over {}: {} calls, {} bytes", each.collective,
          fmt::join(each.axes, ", "), each.calls, each.bytes.count());
      for (Bytes bytes : each.ofRanks)
        line += fmt::format(" {}", bytes.count());
      lines.insert(std::move(line));
    }
    return lines;
  }

  void sameTraffic(const std::string &item,
                   const std::vector<ProgramCounts::Traffic> &claimed,
                   const std::vector<ProgramCounts::Traffic> &counted) {
    same(item, fmt::format("{}", fmt::join(linesOf(claimed), "; ")),
         fmt::format("{}", fmt::join(linesOf(counted), "; ")));
  }

  void checkPipelineRanks(const ProgramCounts &counts) {
    const std::string list = "/prediction/train_step/pipeline_ranks";
    const auto &claimed = claims.predicted.pipelineRanks;
    same(list, claimed.size(), counts.pipelineRanks.size());
    size_t both = std::min(claimed.size(), counts.pipelineRanks.size());
    for (size_t rank = 0; rank < both; ++rank) {
      std::string item = fmt::format("{}/{}", list, rank);
      const ProgramCounts::PipelineRank &counted = counts.pipelineRanks[rank];
      sameTraffic(item + "/collectives", claimed[rank].traffic,
                  counted.traffic);
      same(item + "/peak_bytes_per_rank", claimed[rank].arena.count(),
           counted.arena.count());
    }
  }

  void checkCounts(const ProgramCounts &counts) {
    sameTraffic("/prediction/train_step/collectives", claims.predicted.traffic,
                counts.traffic);
    checkPipelineRanks(counts);
    const std::pair<const char *, Bytes> memory[] = {
        {"parameters", counts.parameters}, {"optimizer_state", counts.states},
        {"gradients", Bytes(0)},           {"activations", counts.temporaries},
        {"batch", counts.batch},           {"peak", counts.arena}};
    for (const auto &[name, bytes] : memory) {
      auto claimed = claims.predicted.memory.find(name);
      same(fmt::format("/prediction/train_step/memory_bytes_per_rank/{}", name),
           claimed == claims.predicted.memory.end() ? -1 : claimed->second,
           bytes.count());
    }
  }

  void checkSearch() {
    // Programs are priced by the search; only bytes are counted again.
    same("/search/layouts/cost_ns", claims.cost,
         added(claims.compute, claims.communication));
    if (claims.bound > claims.cost)
      findings.broken("/search/layouts/lower_bound_ns",
                      "{} is above the cost of {}", claims.bound, claims.cost);
    bool isExact = claims.proof == "exact";
    if (isExact && claims.bound != claims.cost)
      findings.broken("/search/layouts/proof",
                      "is exact, but bound and cost differ: {} and {}",
                      claims.bound, claims.cost);
    double gap = claims.bound > 0 && claims.cost > claims.bound
                     ? static_cast<double>(claims.cost - claims.bound) /
                           static_cast<double>(claims.bound)
                     : 0;
    ++report.compared;
    if (std::abs(gap - claims.gap) > 1e-9)
      findings.differs("/search/layouts/gap", claims.gap, gap,
                       "(cost - bound) / bound");
    bool isThere = false;
    for (size_t i = 0; i < claims.meshes.size(); ++i) {
      const ClaimedMesh &mesh = claims.meshes[i];
      std::string item = fmt::format("/search/layouts/meshes/{}", i);
      ++report.compared;
      bool isChosen = mesh.axes == claims.mesh;
      isThere |= isChosen;
      if (isChosen && mesh.cost != claims.cost)
        findings.differs(item + "/cost_ns", mesh.cost.value_or(0), claims.cost,
                         "the mesh that was chosen");
      if (mesh.cost && *mesh.cost < claims.cost)
        findings.broken(item + "/cost_ns", "{} is below the plan's cost of {}",
                        *mesh.cost, claims.cost);
      if (mesh.bound && *mesh.bound < claims.bound)
        findings.broken(item + "/lower_bound_ns",
                        "{} is below the bound of all meshes, {}", *mesh.bound,
                        claims.bound);
      if (mesh.bound && mesh.cost && *mesh.bound > *mesh.cost)
        findings.broken(item + "/lower_bound_ns", "{} is above its cost of {}",
                        *mesh.bound, *mesh.cost);
    }
    if (!isThere)
      findings.broken("/search/layouts/meshes",
                      "the mesh that was chosen is not among them");
  }

  void noteUnread() {
    for (const char *item :
         {"/search/layouts/decisions", "/search/layouts/proof",
          "/search/layouts/lower_bound_ns", "/search/layouts/meshes"})
      report.notLookedAt.push_back(item);
    if (claims.strategy)
      report.notLookedAt.push_back(
          "/layouts/blocks beside those of the train step");
    else
      for (const char *item :
           {"/tool_version", "/model/name", "/cluster", "/profile", "/options",
            "/search/counts", "/search/stopped"})
        report.notLookedAt.push_back(item);
    if (!inputs.count)
      report.notLookedAt.push_back("/prediction/train_step");
    if (!inputs.executable.empty())
      report.notLookedAt.push_back(
          "the machine code of program, and results, groups, offsets, dtype, "
          "init, batch_dim, limit, tokens_per_step and weights of its "
          "manifest");
    report.notLookedAt.push_back(
        "whether train-step.mlir is the model's derivative, and prices of its "
        "kernels");
  }

  ProgramClaims claims;
  const ProgramInputs &inputs;
  Findings findings;
  CheckReport report;
};

} // namespace

std::optional<CheckReport> checkProgram(std::string_view planJson,
                                        const ProgramInputs &inputs,
                                        std::string &error) {
  try {
    return ProgramCheck(readProgramClaims(planJson), inputs).run();
  } catch (const Malformed &malformed) {
    error = malformed.what;
    return std::nullopt;
  }
}

} // namespace shardsmith::check
