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
    checkAround();
    checkFix();
    checkStep(claims, inputs, findings, report);
    checkSchedule(claims, inputs, findings, report);
    checkSums("/estimated", claims.estimated, "search");
    // Until a program is there the estimate is the prediction.
    checkSums("/predicted", claims.predicted,
              inputs.count ? "program" : "search");
    // Programs are priced by the search; only bytes are counted again.
    same("/predicted/compute_ns", claims.predicted.compute,
         claims.estimated.compute);
    same("/predicted/communication_ns", claims.predicted.communication,
         claims.estimated.communication);
    checkSearch();
    if (!inputs.executable.empty())
      checkManifest(claims, inputs.executable, findings, report);
    if (!inputs.count)
      checkCopied();
    else if (findings.empty())
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
      findings.differs(claims.pointer + item, claimed, actual);
  }

  /// The plan around the program says the same of both.
  void checkAround() {
    if (!claims.around)
      return;
    const ProgramClaims::Around &around = *claims.around;
    same("/tool_version", claims.toolVersion, around.toolVersion);
    for (const auto &[item, value] : claims.identity)
      if (auto other = around.identity.find(item);
          other != around.identity.end())
        same("/" + item, value, other->second);
    auto number = [&](const char *option, double fallback) {
      auto found = around.options.find(option);
      return found == around.options.end() ? fallback
                                           : std::atof(found->second.c_str());
    };
    same("/options/memory_margin", claims.memoryMargin, number("margin", 0.1));
    constexpr double noLimit = 1e6;
    double limit = number("time-limit", 60);
    same("/options/time_limit_s", claims.timeLimit,
         limit > 0 ? limit : noLimit);
    int64_t tensor = 1, others = 1;
    for (const ClaimedAxis &axis : claims.mesh)
      (axis.name.starts_with("tensor") ? tensor : others) = multiplied(
          axis.name.starts_with("tensor") ? tensor : others, axis.size);
    same("/mesh", fmt::format("{} tensor × {} other ranks", tensor, others),
         fmt::format("{} tensor × {} other ranks", around.tensorRanks,
                     around.otherRanks));
  }

  /// What was fixed is there.
  void checkFix() {
    for (size_t i = 0; i < claims.fix.size(); ++i) {
      ++report.compared;
      if (std::ranges::find(claims.mesh, claims.fix[i]) == claims.mesh.end())
        findings.broken(fmt::format("{}/options/fix/{}", claims.pointer, i),
                        "the mesh has no axis {}={}", claims.fix[i].name,
                        claims.fix[i].size);
    }
  }

  void checkSums(const char *item, const ClaimedPrediction &prediction,
                 const char *source) {
    same(std::string(item) + "/source", prediction.source, std::string(source));
    same(std::string(item) + "/step_ns", prediction.step,
         prediction.scheduled.value_or(
             added(prediction.compute, prediction.communication)));
    int64_t bytes = 0;
    for (const ProgramCounts::Traffic &traffic : prediction.traffic)
      bytes = added(bytes, traffic.bytes.count());
    same(std::string(item) + "/communication_bytes_per_rank", prediction.bytes,
         bytes);
  }

  static std::multiset<std::string>
  linesOf(const std::vector<ProgramCounts::Traffic> &traffic) {
    std::multiset<std::string> lines;
    for (const ProgramCounts::Traffic &each : traffic)
      lines.insert(fmt::format("{} over {}: {} calls, {} bytes",
                               each.collective, fmt::join(each.axes, ", "),
                               each.calls, each.bytes.count()));
    return lines;
  }

  void checkCopied() {
    same("/predicted/collectives",
         fmt::format("{}", fmt::join(linesOf(claims.predicted.traffic), "; ")),
         fmt::format("{}", fmt::join(linesOf(claims.estimated.traffic), "; ")));
    for (const auto &[name, bytes] : claims.predicted.memory)
      same("/predicted/memory_bytes_per_rank/" + name, bytes,
           claims.estimated.memory[name]);
  }

  void checkCounts(const ProgramCounts &counts) {
    same("/predicted/collectives",
         fmt::format("{}", fmt::join(linesOf(claims.predicted.traffic), "; ")),
         fmt::format("{}", fmt::join(linesOf(counts.traffic), "; ")));
    const std::pair<const char *, Bytes> memory[] = {
        {"parameters", counts.parameters}, {"optimizer_state", counts.states},
        {"gradients", Bytes(0)},           {"activations", counts.temporaries},
        {"batch", counts.batch},           {"peak", counts.arena}};
    for (const auto &[name, bytes] : memory) {
      auto claimed = claims.predicted.memory.find(name);
      same(fmt::format("/predicted/memory_bytes_per_rank/{}", name),
           claimed == claims.predicted.memory.end() ? -1 : claimed->second,
           bytes.count());
    }
  }

  void checkSearch() {
    same("/search/cost_ns", claims.cost, claims.estimated.step);
    if (claims.bound > claims.cost)
      findings.broken(claims.pointer + "/search/lower_bound_ns",
                      "{} is above the cost of {}", claims.bound, claims.cost);
    bool isExact = claims.proof == "exact";
    if (isExact && claims.bound != claims.cost)
      findings.broken(claims.pointer + "/search/proof",
                      "is exact, but bound and cost differ: {} and {}",
                      claims.bound, claims.cost);
    double gap = claims.bound > 0 && claims.cost > claims.bound
                     ? static_cast<double>(claims.cost - claims.bound) /
                           static_cast<double>(claims.bound)
                     : 0;
    ++report.compared;
    if (std::abs(gap - claims.gap) > 1e-9)
      findings.differs(claims.pointer + "/search/gap", claims.gap, gap,
                       "(cost - bound) / bound");
    bool isThere = false;
    for (size_t i = 0; i < claims.meshes.size(); ++i) {
      const ClaimedMesh &mesh = claims.meshes[i];
      std::string item = fmt::format("{}/search/meshes/{}", claims.pointer, i);
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
      findings.broken(claims.pointer + "/search/meshes",
                      "the mesh that was chosen is not among them");
  }

  void noteUnread() {
    for (const char *item :
         {"/options/effort", "/estimated/collectives",
          "/estimated/memory_bytes_per_rank", "/search/decisions",
          "/search/proof", "/search/lower_bound_ns", "/search/meshes"})
      report.notLookedAt.push_back(claims.pointer + item);
    if (claims.around)
      report.notLookedAt.push_back(
          "/strategy/layouts beside the program's own");
    else
      for (const char *item :
           {"/tool_version", "/model/name", "/cluster", "/profile", "/options"})
        report.notLookedAt.push_back(claims.pointer + item);
    if (!inputs.count)
      report.notLookedAt.push_back(claims.pointer + "/predicted");
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
