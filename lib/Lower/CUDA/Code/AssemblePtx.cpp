// SPDX-License-Identifier: Apache-2.0

#include "RunPtxas.h"

#include "shardsmith/Support/TemporaryPath.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <optional>

namespace shardsmith::lower {

std::string findPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  std::string usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual : "";
}

PtxasRun runPtxas(const std::string &ptxas, const DeviceChip &chip,
                  const std::string &ptxFile, const std::string &codeFile,
                  const std::string &logFile,
                  llvm::ArrayRef<llvm::StringRef> further) {
  TemporaryPath log(logFile);
  std::vector<llvm::StringRef> arguments{
      ptxas, "--gpu-name", chip.name, "-O3", ptxFile, "-o", codeFile};
  arguments.insert(arguments.end(), further.begin(), further.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""),
                                                llvm::StringRef(log.path()),
                                                llvm::StringRef(log.path())};
  PtxasRun run;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, 0, 0, &run.report);
  run.succeeded = code == 0;
  if (auto text = llvm::MemoryBuffer::getFile(log.path()))
    run.report += (*text)->getBuffer().str();
  return run;
}

std::string assemblePtx(const std::string &ptxas, const DeviceChip &chip,
                        const std::string &ptxFile,
                        const std::string &codeFile) {
  PtxasRun run = runPtxas(ptxas, chip, ptxFile, codeFile, codeFile + ".log");
  return run.succeeded ? "" : ptxas + " fails: " + run.report;
}

} // namespace shardsmith::lower
