// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

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

std::string assemblePtx(const std::string &ptxas, const DeviceChip &chip,
                        const std::string &ptxFile,
                        const std::string &codeFile) {
  TemporaryPath log(codeFile + ".log");
  std::vector<std::string> words{ptxas,   "--gpu-name", chip.name.str(), "-O3",
                                 ptxFile, "-o",         codeFile};
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""),
                                                llvm::StringRef(log.path()),
                                                llvm::StringRef(log.path())};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, 0, 0, &error);
  if (code == 0)
    return "";
  if (auto text = llvm::MemoryBuffer::getFile(log.path()))
    error += (*text)->getBuffer().str();
  return ptxas + " fails: " + error;
}

} // namespace shardsmith::lower
