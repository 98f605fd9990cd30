// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/LaunchEnvironment.h"

#include "shardsmith/Runtime/Failure.h"

#include <charconv>
#include <cstdlib>

namespace shardsmith::runtime {
namespace {

/// The variables of one launcher; the first two must be set.
struct Convention {
  const char *launcher;
  const char *rank;
  const char *ranks;
  const char *localRank;
  const char *localRanks;
  const char *job; // further parts of the job's identity
  const char *jobStep;
};

constexpr Convention conventions[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
     "SHARDSMITH_JOB", "TORCHELASTIC_RUN_ID"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
     "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

int parseNumber(const std::string &name, const std::string &text, int least) {
  int value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  // Slurm writes tasks per node as "4" or "4(x2)"; the first node's count is
  // the count of all nodes but perhaps the last.
  bool whole =
      stop == end || (*stop == '(' && text.back() == ')') || *stop == ',';
  if (error != std::errc() || !whole || value < least)
    fail(ExitCode::Usage,
         "environment variable {}={}: expected a number of at least {}", name,
         text, least);
  return value;
}

} // namespace

std::optional<std::string> lookupEnvironment(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

LaunchEnvironment readLaunchEnvironment(const VariableLookup &lookup) {
  for (const Convention &convention : conventions) {
    std::optional<std::string> rank = lookup(convention.rank);
    std::optional<std::string> ranks = lookup(convention.ranks);
    if (!rank || !ranks)
      continue;

    LaunchEnvironment environment;
    environment.launcher = convention.launcher;
    environment.rank = parseNumber(convention.rank, *rank, 0);
    environment.ranks = parseNumber(convention.ranks, *ranks, 1);
    environment.localRank = environment.rank;
    environment.localRanks = environment.ranks;
    if (std::optional<std::string> value = lookup(convention.localRank))
      environment.localRank = parseNumber(convention.localRank, *value, 0);
    if (std::optional<std::string> value = lookup(convention.localRanks))
      environment.localRanks = parseNumber(convention.localRanks, *value, 1);
    if (environment.rank >= environment.ranks)
      fail(ExitCode::Usage,
           "environment variable {}={}: expected less than "
           "{}={}",
           convention.rank, environment.rank, convention.ranks,
           environment.ranks);
    for (const char *part :
         {convention.job, convention.jobStep, "MASTER_ADDR", "MASTER_PORT"})
      environment.job += lookup(part).value_or("") + "/";
    return environment;
  }
  return {};
}

} // namespace shardsmith::runtime
