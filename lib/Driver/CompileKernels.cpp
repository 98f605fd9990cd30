// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/CompileKernels.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/ProgramFolder.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/DeviceProgram.h"
#include "shardsmith/Lower/CUDA/EmbedFiles.h"
#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/CUDA/Target.h"

#include "shardsmith/Lower/Common/LinkProgram.h"
#include "shardsmith/Runtime/CUDA/ProgramCheck.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Support/RuntimeFiles.h"
#include "shardsmith/Support/TemporaryPath.h"

#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {
namespace {

/// Refuses what the runtime could only refuse when it runs.
void requireRunnable(const std::string &manifest,
                     const lower::DeviceProgramText &program) {
  try {
    runtime::Manifest read = runtime::readManifest(manifest);
    std::string problem =
        runtime::cuda::whyGpusCannotRun(runtime::device::readStepProgram(
            program.json, read,
            static_cast<int64_t>(program.constants.size())));
    if (!problem.empty())
      fail(ExitCode::Unsupported, "unsupported on CUDA: " + problem);
  } catch (const runtime::Failure &failure) {
    fail(ExitCode::Internal, failure.what());
  }
}

/// The files that a folder for devices gets, one after another.
class DeviceFiles {
public:
  explicit DeviceFiles(BuildFolder &build) : build(build) {}

  std::string pathOf(const std::string &name) const {
    return std::filesystem::absolute(build.pathOf(name.c_str())).string();
  }
  void write(const std::string &name, const std::string &text) {
    build.write(name.c_str(), text);
    names.push_back(name);
  }

  /// The kernels as PTX and, where ptxas is, as code, for each chip.
  void writeKernels(gpu::GPUModuleOp kernels, const CompileTarget &target) {
    std::string ptxas = target.hasCode ? lower::findPtxas() : "";
    for (const std::string &chip : target.chips) {
      const lower::DeviceChip &device = *lower::findDeviceChip(chip);
      FailureOr<std::string> ptx = lower::compileToPtx(kernels, device);
      if (failed(ptx))
        throw Stop{ExitCode::Internal};
      write(ptxFile(chip), *ptx);
      if (ptxas.empty())
        continue;
      std::string problem = lower::assemblePtx(
          ptxas, device, pathOf(ptxFile(chip)), pathOf(codeFile(chip)));
      if (!problem.empty())
        fail(ExitCode::Internal, problem);
      names.push_back(codeFile(chip));
    }
  }

  /// An executable that carries all files so far and the manifest.
  void link(const std::string &manifest) {
    std::string archive = findRuntimeFile("libshardsmith_device_runtime.a");
    if (archive.empty())
      fail(ExitCode::Environment,
           "libshardsmith_device_runtime.a is not beside this program; build "
           "the project or set SHARDSMITH_RUNTIME_DIR to the folder that has "
           "it");
    std::string program = pathOf(folder::kProgram);
    TemporaryPath manifestFile(program + ".json"), assembly(program + ".s");
    writeOutput(manifestFile.path(), manifest);
    std::vector<lower::EmbeddedFile> files{
        {"manifest.json", manifestFile.path()}};
    for (const std::string &name : names)
      if (name != folder::kCollectives)
        files.push_back({name, pathOf(name)});
    writeOutput(assembly.path(), lower::embedFiles(files));
    std::string problem = linkProgram(assembly.path(), archive, {}, program);
    if (!problem.empty())
      fail(ExitCode::Environment, problem);
  }

  std::vector<std::string> names;

private:
  BuildFolder &build;
};

} // namespace

std::string ptxFile(llvm::StringRef chip) {
  return "kernels." + chip.str() + ".ptx";
}

std::string codeFile(llvm::StringRef chip) {
  return "kernels." + chip.str() + ".cubin";
}

void removeDeviceFiles(BuildFolder &build, llvm::ArrayRef<std::string> kept) {
  std::vector<std::string> all{folder::kDeviceProgram, folder::kDeviceConstants,
                               folder::kCollectives};
  for (const lower::DeviceChip &chip : lower::deviceChips()) {
    all.push_back(ptxFile(chip.name));
    all.push_back(codeFile(chip.name));
  }
  for (const std::string &file : all)
    if (!llvm::is_contained(kept, file))
      build.remove(file.c_str());
}

lower::CollectiveSchedule findCollectiveSchedule(Session &session,
                                                 ProgramPlan &planned,
                                                 const CompileTarget &target) {
  OwningOpRef<ModuleOp> annotated =
      annotate(session, *planned.step, planned.plan());
  OwningOpRef<ModuleOp> local = partitionIntoStages(session, *annotated);
  lowerProgram(session, *local, planned.plan(), target.traits());
  return lower::CollectiveSchedule(mainOf(*local));
}

OwningOpRef<ModuleOp> lowerForDevices(Session &session, ModuleOp annotated,
                                      StepPlan &plan,
                                      const CompileTarget &target) {
  // All ranks do all micro-batches, of which some count for nothing.
  OwningOpRef<ModuleOp> whole = annotated.clone();
  mainOf(*whole)->removeAttr(smith::kSharesAttributeName);
  OwningOpRef<ModuleOp> local = partitionIntoStages(session, *whole);
  lowerProgram(session, *local, plan, target.traits());
  PassManager passes(local->getContext());
  passes.addPass(createEmitCudaKernels());
  if (failed(passes.run(*local)))
    throw Stop{ExitCode::Internal};
  session.dump(*local, 7, "device-functions");
  return local;
}

std::vector<std::string> compileKernels(Session &session, ProgramPlan &planned,
                                        const std::string &output,
                                        const CompileTarget &target) {
  const StepPlan &plan = planned.plan();
  OwningOpRef<ModuleOp> annotated = annotate(session, *planned.step, plan);
  DeviceDescription described =
      describeForDevices(session, *annotated, plan, target);
  requireRunnable(described.manifest, described.program);

  BuildFolder build(output);
  DeviceFiles files(build);
  if (auto kernels = described.module->lookupSymbol<gpu::GPUModuleOp>(
          lower::deviceModuleName))
    files.writeKernels(kernels, target);
  files.write(folder::kDeviceProgram, described.program.json);
  files.write(folder::kDeviceConstants, described.program.constants);
  files.write(folder::kCollectives, described.collectives);
  files.link(described.manifest);
  writeProgramPlan(build, output, planned, *annotated);
  removeDeviceFiles(build, files.names);
  build.publish();
  return files.names;
}

DeviceDescription describeForDevices(Session &session, ModuleOp annotated,
                                     const StepPlan &plan,
                                     const CompileTarget &target) {
  DeviceDescription result;
  // What a plan counts is the program for processors; the plan stays as it is.
  StepPlan ofProgram = plan;
  result.module = lowerForDevices(session, annotated, ofProgram, target);
  func::FuncOp main = mainOf(*result.module);
  lower::CollectiveSchedule collectives(main);
  if (std::string problem = collectives.findProblem(); !problem.empty())
    fail(ExitCode::Internal, "the order of exchanges differs: " + problem);
  lower::ProgramDescription description;
  description.modelName = plan.model.name;
  description.planHash = plan.hash();
  for (const CollectiveTotal &total : ofProgram.predicted.collectives)
    description.predictedCommunicationBytes += total.bytes.count();
  description.predictedStepNanoseconds = plan.predicted.step.count();
  result.collectives = collectives.toJson();
  result.manifest = lower::makeManifest(main, description);
  result.program = lower::describeDeviceProgram(main, description);
  return result;
}

} // namespace shardsmith
