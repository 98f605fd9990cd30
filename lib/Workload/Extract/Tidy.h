// SPDX-License-Identifier: Apache-2.0
//
// The last steps of extraction, on the workload alone.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H

#include "shardsmith/Workload/Workload.h"

namespace shardsmith::workload {

/// Joins neighbouring dimensions that all ops treat alike, so that tensors
/// are no finer than somebody needs.
void joinDimensions(Workload &workload);

/// Gives factors, and tensors without a name, names that are distinct where
/// they must be.
void nameThings(Workload &workload);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_TIDY_H
