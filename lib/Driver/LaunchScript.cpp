// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/LaunchScript.h"

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

} // namespace shardsmith
