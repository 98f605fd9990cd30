// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives from the output of NVIDIA's nccl-tests (and AMD's
// rccl-tests, which print the same).

#ifndef SHARDSMITH_CLUSTER_NCCLTESTS_H
#define SHARDSMITH_CLUSTER_NCCLTESTS_H

#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith {

/// The output of one program, as a calibration curve without a scope. Its
/// sizes are whole tensors, as the programs count them for all collectives that
/// we have; its times are those out of place.
struct NcclTestsRun {
  Calibration curve;
  /// Names of machines, each once; empty if the output does not list ranks.
  std::vector<std::string> hosts;
};

/// All runs of a text. No result if there are none, a run's collective or
/// number of ranks is not said, or its results are wrong; `error` then says
/// where.
std::optional<std::vector<NcclTestsRun>> readNcclTests(std::string_view text,
                                                       std::string &error);

/// Writes the runs into the cluster, in place of curves for the same. False,
/// with `error`, if the cluster has no such devices or the runs are no curves
/// for it.
bool addMeasured(Cluster &cluster, const std::vector<NcclTestsRun> &runs,
                 std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_NCCLTESTS_H
