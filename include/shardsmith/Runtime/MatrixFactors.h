// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_MATRIXFACTORS_H
#define SHARDSMITH_RUNTIME_MATRIXFACTORS_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <array>

namespace shardsmith::runtime {

/// As smith_matrix_factors_run of ABI.h. A Failure with the exit code of the
/// environment where there is no LAPACK, or where a matrix has more than
/// 2^31 - 1 rows or columns.
void findFactors(const smith_matrix_factors &factors, const void *a,
                 std::array<void *, 3> results, const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_MATRIXFACTORS_H
