// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factors and triangular systems by LAPACK.

#ifndef SHARDSMITH_RUNTIME_LINEARALGEBRA_H
#define SHARDSMITH_RUNTIME_LINEARALGEBRA_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// As smith_cholesky_run of ABI.h. A Failure with the exit code of the
/// environment where there is no LAPACK, or where a matrix has more than
/// 2^31 - 1 rows.
void factorize(const smith_cholesky &cholesky, const void *a, void *factor,
               const ThreadTeam &team);

/// As smith_triangular_solve_run of ABI.h; fails as the one above.
void solveTriangles(const smith_triangular_solve &solve, const void *a,
                    const void *b, void *x, const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LINEARALGEBRA_H
