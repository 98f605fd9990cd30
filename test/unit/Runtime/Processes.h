// SPDX-License-Identifier: Apache-2.0
//
// Running other programs from tests.

#ifndef SHARDSMITH_TEST_UNIT_RUNTIME_PROCESSES_H
#define SHARDSMITH_TEST_UNIT_RUNTIME_PROCESSES_H

#include <string>

struct Outcome {
  int exitCode;       // 128 + signal if a signal ended it
  std::string output; // stdout and stderr together
};

/// Runs a shell command to its end.
Outcome runCommand(const std::string &command);

bool hasMpirun();
/// The start of a command that runs this many ranks, even as root and on
/// fewer cores.
std::string mpirunCommand(int ranks);

/// A new folder under the system's temporary folder, removed with all that
/// is in it at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string operator/(const std::string &name) const;
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

#endif // SHARDSMITH_TEST_UNIT_RUNTIME_PROCESSES_H
