// SPDX-License-Identifier: Apache-2.0
//
// Which of how many ranks this process is, as its launcher says through
// environment variables.

#ifndef SHARDSMITH_RUNTIME_LAUNCHENVIRONMENT_H
#define SHARDSMITH_RUNTIME_LAUNCHENVIRONMENT_H

#include <functional>
#include <optional>
#include <string>

namespace shardsmith::runtime {

struct LaunchEnvironment {
  int rank = 0;
  int ranks = 1;
  int localRank = 0;
  int localRanks = 1;
  std::string launcher; // "torchrun", "mpirun", "srun"; empty: none
  /// Equal on all ranks of a job, different between jobs of one machine.
  std::string job;

  bool onOneMachine() const { return localRanks == ranks; }
};

/// Looks variables up: the environment of the process, or a test's table.
using VariableLookup =
    std::function<std::optional<std::string>(const std::string &)>;
std::optional<std::string> lookupEnvironment(const std::string &name);

/// Recognises, in this order: RANK and WORLD_SIZE (torchrun, and our own
/// launcher), OMPI_COMM_WORLD_* (mpirun), SLURM_PROCID with SLURM_STEP_* (a
/// job step of srun; the batch script itself is no step). Nothing set: one
/// rank. Throws a Failure on values that are no numbers or do not fit.
LaunchEnvironment
readLaunchEnvironment(const VariableLookup &lookup = lookupEnvironment);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCHENVIRONMENT_H
