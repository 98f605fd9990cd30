// SPDX-License-Identifier: Apache-2.0

#include "Processes.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <sys/wait.h>

Outcome runCommand(const std::string &command) {
  Outcome outcome{-1, ""};
  std::FILE *pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (!pipe)
    return outcome;
  char block[4096];
  while (size_t length = fread(block, 1, sizeof block, pipe))
    outcome.output.append(block, length);
  int status = pclose(pipe);
  outcome.exitCode =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

bool hasMpirun() { return runCommand("command -v mpirun").exitCode == 0; }

std::string mpirunCommand(int ranks) {
  // OpenMPI leaves memory allocated, which is nothing to report here.
  return "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root "
         "--oversubscribe -n " +
         std::to_string(ranks) + " ";
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "shardsmith-XXXXXX").string();
  folder = mkdtemp(pattern.data()) ? pattern : "";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::string TemporaryFolder::operator/(const std::string &name) const {
  return folder + "/" + name;
}
