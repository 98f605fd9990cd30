// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/RuntimeFiles.h"

#include <cstdlib>
#include <filesystem>

namespace shardsmith {

namespace fs = std::filesystem;

std::string findRuntimeFile(const std::string &name) {
  std::error_code error;
  fs::path folder;
  if (const char *given = std::getenv("SHARDSMITH_RUNTIME_DIR"))
    folder = given;
  else
    folder =
        fs::read_symlink("/proc/self/exe", error).parent_path() / ".." / "lib";
  fs::path file = fs::weakly_canonical(folder / name, error);
  return fs::exists(file, error) ? file.string() : std::string();
}

} // namespace shardsmith
