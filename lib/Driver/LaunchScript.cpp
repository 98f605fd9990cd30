// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/LaunchScript.h"

#include "shardsmith/Driver/Session.h"

#include <filesystem>
#include <fmt/format.h>

namespace shardsmith {

std::string programScript(int64_t ranks) {
  return fmt::format(R"(#!/bin/sh
# Builds the program of this folder and trains with it; options are passed on.
set -e
folder=$(dirname "$0")
shardsmith compile "$folder"
exec shardsmith run "$folder" --ranks {} "$@"
)",
                     ranks);
}

void writeExecutable(const std::string &path, const std::string &text) {
  namespace fs = std::filesystem;
  writeOutput(path, text);
  std::error_code error;
  fs::permissions(path,
                  fs::perms::owner_exec | fs::perms::group_exec |
                      fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error)
    fail(ExitCode::Environment, path + ": " + error.message());
}

} // namespace shardsmith
