// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/InspectKernels.h"

#include "shardsmith/Driver/CompileKernels.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/Common/JointLaunch.h"
#include "shardsmith/Support/Json.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith {
namespace {

std::map<std::string, int64_t> countLaunches(ModuleOp program) {
  std::map<std::string, int64_t> launches;
  program.walk([&](Operation *op) {
    if (auto name = op->getAttrOfType<SymbolRefAttr>(
            lower::deviceFunctionAttributeName);
        name && !lower::areInOneLaunch(op->getPrevNode(), op))
      ++launches[name.getLeafReference().str()];
  });
  return launches;
}

std::optional<std::map<std::string, lower::KernelResources>>
resourcesOf(gpu::GPUModuleOp kernels, const lower::DeviceChip &chip) {
  std::string ptxas = lower::findPtxas();
  if (ptxas.empty())
    return std::nullopt;
  FailureOr<std::string> ptx = lower::compileToPtx(kernels, chip);
  if (failed(ptx))
    throw Stop{ExitCode::Internal};
  std::string problem;
  auto found = lower::findKernelResources(ptxas, chip, *ptx, problem);
  if (!found)
    fail(ExitCode::Environment, problem);
  return found;
}

void noteTraffic(gpu::GPUFuncOp function, KernelReport &report) {
  ScopedDiagnosticHandler keep(
      function.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          report.unknownBecause = diagnostic.str();
        return success();
      });
  FailureOr<lower::KernelTraffic> traffic = lower::estimateTraffic(function);
  report.traffic =
      succeeded(traffic) ? *traffic : lower::shapeOfKernel(function);
}

/// Functions of which nothing is known, by what is in the way.
std::string describeUnknown(const std::vector<KernelReport> &kernels) {
  llvm::MapVector<StringRef, std::vector<StringRef>> names;
  for (const KernelReport &each : kernels)
    if (!each.isTrafficKnown())
      names[each.unknownBecause].push_back(each.name);
  std::string text;
  for (auto &[reason, functions] : names)
    text += fmt::format("? in no sum: {}: {}\n", llvm::join(functions, ", "),
                        reason.str());
  return text;
}

} // namespace

std::vector<KernelReport> inspectKernels(Session &session, ProgramPlan &planned,
                                         const std::string &chipName) {
  OwningOpRef<ModuleOp> annotated =
      annotate(session, *planned.step, planned.plan());
  OwningOpRef<ModuleOp> local = lowerForDevices(
      session, *annotated, planned.plan(), CompileTarget{.chips = {chipName}});

  std::vector<KernelReport> reports;
  auto kernels = local->lookupSymbol<gpu::GPUModuleOp>(lower::deviceModuleName);
  if (!kernels)
    return reports;
  const lower::DeviceChip &chip = *lower::findDeviceChip(chipName);
  std::map<std::string, int64_t> launches = countLaunches(*local);
  auto resources = resourcesOf(kernels, chip);
  for (auto function : kernels.getOps<gpu::GPUFuncOp>()) {
    KernelReport &report = reports.emplace_back();
    report.name = function.getName().str();
    report.launches = launches[report.name];
    noteTraffic(function, report);
    if (!resources)
      continue;
    report.resources = resources->at(report.name);
    report.occupancy = lower::occupancyOf(chip, *report.resources,
                                          report.traffic.threadsPerBlock);
  }
  return reports;
}

std::string describeKernels(const std::vector<KernelReport> &kernels,
                            const std::string &chip) {
  std::string text = fmt::format(
      "kernels     {} for {}; moved: bytes through memory ÷ bytes of buffers\n"
      "{:<12} {:>8} {:>9} {:>7} {:>12} {:>6} {:>10} {:>6} {:>9} {:>7} {:>9} "
      "{:>7}\n",
      kernels.size(), chip, "function", "launches", "blocks", "threads",
      "buffers MB", "moved", "coalescing", "lanes", "registers", "shared",
      "occupancy", "spilled");
  Bytes buffers, moved;
  bool hasData = false;
  for (const KernelReport &each : kernels) {
    const lower::KernelTraffic &traffic = each.traffic;
    text += fmt::format("{:<12} {:>8} {:>9} {:>7} {:>12.3f}", each.name,
                        each.launches, traffic.blocks, traffic.threadsPerBlock,
                        double(traffic.buffers.count()) * 1e-6);
    if (each.isTrafficKnown())
      text += fmt::format(" {:>5.2f}{} {:>10.2f} {:>6.2f}", traffic.ratio(),
                          traffic.dependsOnData ? '*' : ' ', traffic.coalescing,
                          traffic.activeLanes);
    else
      text += fmt::format(" {:>5}  {:>10} {:>6}", "?", "?", "?");
    if (each.resources)
      text += fmt::format(" {:>9} {:>7} {:>9.2f} {:>7}",
                          each.resources->registersPerThread,
                          each.resources->shared.count(), each.occupancy,
                          each.resources->spilled.count());
    else
      text += fmt::format(" {:>9} {:>7} {:>9} {:>7}", "–",
                          traffic.shared.count(), "–", "–");
    text += '\n';
    if (!each.isTrafficKnown())
      continue;
    buffers += traffic.buffers * each.launches;
    moved += traffic.moved * each.launches;
    hasData |= traffic.dependsOnData;
  }
  text +=
      fmt::format("all launches move {:.3f} MB of buffers of {:.3f} MB\n",
                  double(moved.count()) * 1e-6, double(buffers.count()) * 1e-6);
  if (hasData)
    text += "* positions depend on data, which was drawn\n";
  text += describeUnknown(kernels);
  if (!kernels.empty() && !kernels.front().resources)
    text += "there is no ptxas here, which would say registers and spills\n";
  return text;
}

std::string kernelsToJson(const std::vector<KernelReport> &kernels,
                          const std::string &chip) {
  nlohmann::ordered_json json;
  json["format"] = "shardsmith-kernels/1";
  json["chip"] = chip;
  json["kernels"] = nlohmann::ordered_json::array();
  for (const KernelReport &each : kernels) {
    const lower::KernelTraffic &traffic = each.traffic;
    nlohmann::ordered_json entry{
        {"name", each.name},
        {"launches", each.launches},
        {"blocks", traffic.blocks},
        {"threads_per_block", traffic.threadsPerBlock},
        {"buffer_bytes", traffic.buffers.count()},
        {"depends_on_data", !each.isTrafficKnown() || traffic.dependsOnData},
        {"shared_bytes", traffic.shared.count()}};
    if (each.isTrafficKnown()) {
      entry["moved_bytes"] = traffic.moved.count();
      entry["coalescing"] = traffic.coalescing;
      entry["active_lanes"] = traffic.activeLanes;
    } else {
      entry["unknown_because"] = each.unknownBecause;
    }
    if (each.resources) {
      entry["registers_per_thread"] = each.resources->registersPerThread;
      entry["shared_bytes"] = each.resources->shared.count();
      entry["spilled_bytes"] = each.resources->spilled.count();
      entry["occupancy"] = each.occupancy;
    }
    json["kernels"].push_back(std::move(entry));
  }
  return jsonText(json, 2) + "\n";
}

} // namespace shardsmith
