// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/CompileKernels.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/DeviceProgram.h"
#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/CUDA/Target.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {
namespace {

constexpr const char *deviceProgramFile = "device-program.json";
constexpr const char *deviceConstantsFile = "device-constants.bin";
constexpr const char *collectivesFile = "collectives.json";

std::string ptxFile(llvm::StringRef chip) {
  return "kernels." + chip.str() + ".ptx";
}

} // namespace

void removeDeviceFiles(BuildFolder &build, llvm::ArrayRef<std::string> kept) {
  std::vector<std::string> all{deviceProgramFile, deviceConstantsFile,
                               collectivesFile};
  for (const lower::DeviceChip &chip : lower::deviceChips())
    all.push_back(ptxFile(chip.name));
  for (const std::string &file : all)
    if (!llvm::is_contained(kept, file))
      build.remove(file.c_str());
}

lower::CollectiveSchedule findCollectiveSchedule(Session &session,
                                                 ProgramPlan &planned,
                                                 const CompileTarget &target) {
  OwningOpRef<ModuleOp> annotated =
      annotate(session, *planned.step, planned.plan);
  OwningOpRef<ModuleOp> local = partitionIntoStages(session, *annotated);
  lowerProgram(session, *local, planned.plan,
               target.isCuda() ? cudaTarget() : cpuTarget());
  return lower::CollectiveSchedule(mainOf(*local));
}

std::vector<std::string> compileKernels(Session &session, ProgramPlan &planned,
                                        const std::string &output,
                                        const CompileTarget &target) {
  Plan &plan = planned.plan;
  OwningOpRef<ModuleOp> annotated = annotate(session, *planned.step, plan);
  OwningOpRef<ModuleOp> local = partitionIntoStages(session, *annotated);
  // Without a program, the plan's estimate stays what it predicts.
  Plan ofProgram = plan;
  lowerProgram(session, *local, ofProgram, cudaTarget());
  Nanoseconds scheduled = plan.predicted.scheduled;
  plan.predicted = plan.estimated;
  plan.predicted.scheduled = scheduled;
  PassManager passes(local->getContext());
  passes.addPass(createEmitCudaKernels());
  if (failed(passes.run(*local)))
    throw Stop{ExitCode::Internal};
  session.dump(*local, 7, "device-functions");

  lower::CollectiveSchedule collectives(mainOf(*local));
  if (std::string problem = collectives.findProblem(); !problem.empty())
    fail(ExitCode::Internal, "the order of exchanges differs: " + problem);
  lower::ProgramDescription description;
  description.modelName = plan.modelName;
  description.planHash = plan.hash();

  BuildFolder build(output);
  std::vector<std::string> files;
  auto write = [&](const std::string &name, const std::string &text) {
    writeOutput(build.pathOf(name.c_str()), text);
    files.push_back(name);
  };
  auto kernels = local->lookupSymbol<gpu::GPUModuleOp>(lower::deviceModuleName);
  for (const std::string &chip : target.chips) {
    if (!kernels)
      break;
    FailureOr<std::string> ptx =
        lower::compileToPtx(kernels, *lower::findDeviceChip(chip));
    if (failed(ptx))
      throw Stop{ExitCode::Internal};
    write(ptxFile(chip), *ptx);
  }
  lower::DeviceProgramText program =
      lower::describeDeviceProgram(mainOf(*local), description);
  write(deviceProgramFile, program.json);
  write(deviceConstantsFile, program.constants);
  write(collectivesFile, collectives.toJson());
  writeOutput(build.pathOf(folder::kTrainStep), toText(*planned.step));
  writeOutput(build.pathOf(folder::kAnnotated), toText(*annotated));
  writeOutput(build.pathOf(folder::kPlan), planned.fileText());
  removeDeviceFiles(build, files);
  build.remove(folder::kProgram);
  build.publish();
  return files;
}

} // namespace shardsmith
