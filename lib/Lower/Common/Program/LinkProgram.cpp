// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/LinkProgram.h"

#include "shardsmith/Support/TemporaryPath.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace shardsmith {

const char *const noCompiler =
    "no C++ compiler to link programs with: install g++ (apt install g++) or "
    "set CXX; planning needs none";

std::string findCompiler() {
  if (const char *chosen = std::getenv("CXX"); chosen && *chosen) {
    auto path = llvm::sys::findProgramByName(chosen);
    return path ? *path : std::string();
  }
  for (const char *name : {"c++", "g++", "clang++", "clang++-22"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return "";
}

std::string linkProgram(const std::string &object,
                        const std::string &runtimeArchive,
                        const std::vector<std::string> &libraries,
                        const std::string &output) {
  std::string compiler = findCompiler();
  if (compiler.empty())
    return noCompiler;
  if (!llvm::sys::fs::exists(runtimeArchive))
    return "the runtime library '" + runtimeArchive + "' does not exist";

  TemporaryPath linkLog(output + ".log");
  const std::string &log = linkLog.path();
  // A path that begins with a dash is no option.
  auto whole = [](const std::string &path) {
    return std::filesystem::absolute(path).string();
  };
  std::vector<std::string> words = {compiler, whole(object), runtimeArchive,
                                    "-o", whole(output)};
  // LLVM's linker takes a fifth of the time.
  if (llvm::sys::findProgramByName("ld.lld"))
    words.emplace_back("-fuse-ld=lld");
  for (const std::string &library : libraries) {
    std::string folder = std::filesystem::path(library).parent_path();
    if (folder.empty()) {
      words.push_back("-l" + library);
      continue;
    }
    // The older of the two tags is also for what the library itself needs.
    words.push_back(library);
    words.push_back("-Wl,--disable-new-dtags,-rpath," + folder);
  }
  for (const char *word : {"-lm", "-pthread", "-ldl", "-lrt"})
    words.emplace_back(word);
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(compiler, arguments, std::nullopt,
                                       redirects, 0, 0, &error);
  std::string message;
  if (code != 0) {
    message = compiler + " could not link the program";
    if (!error.empty())
      message += ": " + error;
    if (auto text = llvm::MemoryBuffer::getFile(log))
      message += "\n" + (*text)->getBuffer().str();
  }
  return message;
}

} // namespace shardsmith
