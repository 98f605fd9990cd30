// SPDX-License-Identifier: Apache-2.0
//
// The last steps of extraction, on the workload alone.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H

#include "shardsmith/Workload/Workload.h"

namespace shardsmith::workload {

/// New numbers by the old ones.
struct JoinedBlock {
  /// Per tensor.
  std::vector<std::vector<unsigned>> dims;
  /// Per op.
  std::vector<std::vector<FactorIndex>> factors;
};

/// Joins neighbouring dimensions that all ops treat alike, so that tensors
/// are no finer than somebody needs. Returns what became of each block's
/// dimensions and factors.
std::vector<JoinedBlock> joinDimensions(Workload &workload);

/// Gives factors, and tensors without a name, names that are distinct where
/// they must be.
void nameThings(Workload &workload);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H
