// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ProgramFolder.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/LaunchScript.h"
#include "shardsmith/Driver/PlanFolder.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"

#include <filesystem>

namespace shardsmith {
namespace {

bool isClusterOf(const PlanDocument &plan, const std::string &path) {
  ClusterResult described = readCluster(requireText(path));
  return described.cluster && described.cluster->hash() == plan.cluster.hash;
}

} // namespace

void writeProgramPlan(BuildFolder &build, const std::string &output,
                      const ProgramPlan &planned, mlir::ModuleOp annotated) {
  const StepPlan &plan = planned.plan();
  build.write(folder::kTrainStep, toText(*planned.step));
  build.write(folder::kAnnotated, toText(annotated));
  build.write(folder::kPlan, planned.fileText(plan));
  auto isThere = [&](const char *file) {
    return std::filesystem::exists(inFolder(output, file));
  };
  // Without options these are no files that 'plan' has left.
  if (!isThere(folder::kOptions))
    return;
  build.write(folder::kOptions, optionsText(planned.document.options));
  if (isThere(folder::kRunScript))
    build.writeExecutable(folder::kRunScript,
                          programScript(plan.deviceCount()));
  if (isThere(folder::kCluster) &&
      !isClusterOf(planned.document, inFolder(output, folder::kCluster)))
    build.remove(folder::kCluster);
}

} // namespace shardsmith
