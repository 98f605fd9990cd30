// SPDX-License-Identifier: Apache-2.0

#include "DeviceFolderCheck.h"

#include "shardsmith/Driver/CompileKernels.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

#include <filesystem>
#include <fmt/format.h>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

class DeviceFolder {
public:
  DeviceFolder(const std::string &planFile, check::CheckReport &report)
      : folder(fs::path(planFile).parent_path()), report(report) {
    if (has(folder::kProgram))
      executable = read(folder::kProgram);
  }

  /// The chips that there is PTX for.
  CompileTarget target() const {
    CompileTarget target;
    for (const lower::DeviceChip &chip : lower::deviceChips())
      if (isPartOfProgram(ptxFile(chip.name)))
        target.chips.push_back(chip.name.str());
    if (!target.isCuda()) // whose files are missing, which is found below
      return parseCompileTarget("cuda");
    return target;
  }

  /// A file that is to be there, with this text.
  void compare(const std::string &file, const std::string &text) {
    ++report.compared;
    if (!has(file))
      find(file, "is missing beside the program for devices");
    else if (read(file) != text)
      find(file, "is not what the annotated graph is lowered to");
  }

  void compareCarried(const std::string &what, const std::string &text) {
    if (!executable)
      return;
    ++report.compared;
    if (executable->find(text) == std::string::npos)
      find(folder::kProgram,
           fmt::format("carries another {} than that of the annotated graph",
                       what));
  }

  /// Every chip's PTX is what the kernels are compiled to, there is one at
  /// least, and chips that the executable carries have their files here. What
  /// ptxas has made of the PTX must be the same in both.
  void compareKernels(mlir::gpu::GPUModuleOp kernels) {
    bool hasKernels = false;
    for (const lower::DeviceChip &chip : lower::deviceChips()) {
      std::string ptx = ptxFile(chip.name), code = codeFile(chip.name);
      if (isPartOfProgram(ptx)) {
        hasKernels = true;
        llvm::FailureOr<std::string> again = lower::compileToPtx(kernels, chip);
        if (failed(again))
          throw Stop{ExitCode::Internal};
        compare(ptx, *again);
        compareCarried(ptx, *again);
      }
      if (isPartOfProgram(code))
        compareCode(code);
    }
    if (!hasKernels)
      find(folder::kDeviceProgram,
           "launches kernels, and no PTX of them is beside it");
  }

private:
  bool has(const std::string &file) const { return fs::exists(folder / file); }
  std::string read(const std::string &file) const {
    return requireText((folder / file).string());
  }
  /// Whether the executable has a file of this name.
  bool carries(const std::string &file) const {
    return executable &&
           executable->find(std::string_view(file.c_str(), file.size() + 1)) !=
               std::string::npos;
  }
  bool isPartOfProgram(const std::string &file) const {
    return has(file) || carries(file);
  }
  void find(const std::string &file, std::string what) {
    report.findings.push_back({file, "", "", std::move(what)});
  }

  void compareCode(const std::string &file) {
    ++report.compared;
    if (!has(file))
      return find(file, "is missing beside the program for devices");
    report.notLookedAt.push_back(
        fmt::format("whether {} is made of its PTX", file));
    if (executable && executable->find(read(file)) == std::string::npos)
      find(folder::kProgram, fmt::format("carries another {}", file));
  }

  fs::path folder;
  check::CheckReport &report;
  std::optional<std::string> executable;
};

} // namespace

void checkDeviceFiles(Session &session, const std::string &planFile,
                      const StepPlan &plan, mlir::ModuleOp annotated,
                      check::CheckReport &report) {
  DeviceFolder files(planFile, report);
  DeviceDescription again =
      describeForDevices(session, annotated, plan, files.target());
  files.compare(folder::kDeviceProgram, again.program.json);
  files.compare(folder::kDeviceConstants, again.program.constants);
  files.compare(folder::kCollectives, again.collectives);
  files.compareCarried("manifest", again.manifest);
  files.compareCarried(folder::kDeviceProgram, again.program.json);
  files.compareCarried(folder::kDeviceConstants, again.program.constants);
  if (auto kernels = again.module->lookupSymbol<mlir::gpu::GPUModuleOp>(
          lower::deviceModuleName))
    files.compareKernels(kernels);
}

} // namespace shardsmith
