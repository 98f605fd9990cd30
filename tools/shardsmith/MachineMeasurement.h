// SPDX-License-Identifier: Apache-2.0
//
// What ranks on this machine can do: each is a process of its own, as those of
// compiled programs are, and all of them are at work at once.

#ifndef SHARDSMITH_TOOLS_MACHINEMEASUREMENT_H
#define SHARDSMITH_TOOLS_MACHINEMEASUREMENT_H

#include "shardsmith/Cluster/MeasuredMachine.h"
#include "shardsmith/Support/ExitCode.h"

namespace shardsmith {

/// Starts `ranks` processes of this tool with `hiddenOptions`, each of which
/// calls `measureAsRank`, and collects what they found. Throws a Failure.
RankRates measureRanks(int64_t ranks,
                       const std::vector<std::string> &hiddenOptions);

/// As one of the ranks, which the environment names. Rank 0 writes to `file`.
ExitCode measureAsRank(const std::string &file);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_MACHINEMEASUREMENT_H
