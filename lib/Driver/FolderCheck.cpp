// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/FolderCheck.h"

#include "DeviceFolderCheck.h"

#include "mlir/Parser/Parser.h"

#include "shardsmith/Check/ProgramCheck.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/CPU/Lower.h"

#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

mlir::OwningOpRef<mlir::ModuleOp> readModule(Session &session,
                                             const fs::path &path) {
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(path.string(), &session.context());
  if (!module)
    throw Stop{ExitCode::BadInput};
  return module;
}

/// Partitions and lowers a copy of the annotated step, as `compile` does.
check::ProgramCounts countAgain(Session &session, mlir::ModuleOp annotated) {
  mlir::OwningOpRef<mlir::ModuleOp> local =
      partitionIntoStages(session, annotated);
  check::ProgramCounts counts;
  std::vector<std::vector<CollectiveTotal>> traffic = trafficOf(*local);
  auto listed = [](const std::vector<CollectiveTotal> &totals) {
    std::vector<check::ProgramCounts::Traffic> list;
    for (const CollectiveTotal &each : totals)
      list.push_back(
          {each.kind, each.axes, each.calls, each.bytes, each.ofRanks});
    return list;
  };
  counts.traffic = listed(traffic.front());
  LoweringResult lowered = lowerToCpu(*local);
  require(lowered.code);
  counts.parameters = lowered.layout.parameters;
  counts.states = lowered.layout.states;
  counts.batch = lowered.layout.batch;
  counts.temporaries = lowered.layout.temporaries;
  counts.arena = lowered.layout.arena;
  if (mainOf(*local).isExternal())
    for (auto [ofRank, arena] : llvm::zip_equal(traffic, lowered.arenas))
      counts.pipelineRanks.push_back({listed(ofRank), arena});
  return counts;
}

fs::path beside(const std::string &planFile, const char *file) {
  return fs::path(planFile).parent_path() / file;
}

void add(check::CheckReport &&from, check::CheckReport &to) {
  std::ranges::move(from.findings, std::back_inserter(to.findings));
  for (const char *part : check::kTrainStepParts)
    std::erase(to.notLookedAt, part);
  std::ranges::move(from.notLookedAt, std::back_inserter(to.notLookedAt));
  to.compared += from.compared;
}

} // namespace

void checkProgramFiles(Session &session, const std::string &planFile,
                       const std::string &planText,
                       check::CheckReport &report) {
  fs::path step = beside(planFile, folder::kTrainStep);
  fs::path annotated = beside(planFile, folder::kAnnotated);
  fs::path program = beside(planFile, folder::kProgram);
  if (!fs::exists(step) || !fs::exists(annotated)) {
    if (fs::exists(program))
      report.findings.push_back(
          {folder::kProgram, "", "",
           fmt::format("there is a program, but no {} or no {} beside it",
                       folder::kTrainStep, folder::kAnnotated)});
    return;
  }
  auto annotatedModule = readModule(session, annotated);
  // Decisions are about the ops of one micro-batch.
  mlir::func::FuncOp main = mainOf(*annotatedModule);
  auto shares =
      main->getAttrOfType<mlir::DenseI64ArrayAttr>(smith::kSharesAttributeName);
  auto stepModule = inMicroBatches(
      *readModule(session, step), smith::getMicroBatchCount(main),
      shares ? shares.asArrayRef() : llvm::ArrayRef<int64_t>(),
      (*annotatedModule)->hasAttr(smith::kScheduleAttributeName));
  if (mlir::Attribute schedule =
          (*annotatedModule)->getAttr(smith::kScheduleAttributeName))
    (*stepModule)->setAttr(smith::kScheduleAttributeName, schedule);
  check::ProgramInputs inputs;
  inputs.step = *stepModule;
  inputs.annotated = *annotatedModule;
  // Figures of programs for devices are not counted.
  bool isForDevices = fs::exists(beside(planFile, folder::kDeviceProgram));
  if (!isForDevices && fs::exists(program))
    inputs.executable = requireText(program.string());
  StepPlan plan = *requireProgramPlan(planFile).program;
  // `plan` counts on the program that `compile` would link.
  if (!inputs.executable.empty() || plan.predicted.source == "program")
    inputs.count = [&] { return countAgain(session, *annotatedModule); };
  std::string error;
  std::optional<check::CheckReport> found =
      check::checkProgram(planText, inputs, error);
  if (!found)
    fail(ExitCode::BadInput, planFile + ": " + error);
  add(std::move(*found), report);
  // What is wrong with the graph would be found again in all that follows.
  if (isForDevices && report.accepts())
    checkDeviceFiles(session, planFile, plan, *annotatedModule, report);
}

void checkOtherFiles(const std::string &planFile,
                     const std::vector<PlanOption> &options,
                     const Cluster &cluster, check::CheckReport &report) {
  fs::path path = beside(planFile, folder::kOptions);
  if (fs::exists(path)) {
    std::istringstream lines(requireText(path.string()));
    std::string line;
    size_t known = 0, count = 0;
    while (std::getline(lines, line)) {
      ++count;
      for (const PlanOption &option : options)
        if (line.starts_with(
                fmt::format("--{} {}  #", option.name, option.value)))
          ++known;
    }
    ++report.compared;
    if (count != options.size() || known < options.size())
      report.findings.push_back(
          {folder::kOptions, "", "", "lists other options than the plan"});
  }
  path = beside(planFile, folder::kCluster);
  if (fs::exists(path)) {
    ClusterResult described = readCluster(requireText(path.string()));
    ++report.compared;
    if (!described.cluster)
      report.findings.push_back(
          {folder::kCluster, "", "", described.errorText()});
    else if (described.cluster->hash() != cluster.hash())
      report.findings.push_back({folder::kCluster, described.cluster->hash(),
                                 cluster.hash(), "hash of the cluster"});
  }
  if (fs::exists(beside(planFile, folder::kRunScript)))
    report.notLookedAt.push_back(folder::kRunScript);
}

} // namespace shardsmith
