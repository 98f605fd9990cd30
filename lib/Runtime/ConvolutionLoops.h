// SPDX-License-Identifier: Apache-2.0
//
// Convolution by its definition, for elements and ranks that no library has.

#ifndef SHARDSMITH_LIB_RUNTIME_CONVOLUTIONLOOPS_H
#define SHARDSMITH_LIB_RUNTIME_CONVOLUTIONLOOPS_H

#include "ConvolutionForms.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// The order of elements that `convolveLoops` wants: groups, first, space,
/// second, contiguous. `second` of the result has no neighbours to sum over,
/// and its order is groups, first, second, space.
///
/// `type` is SMITH_F32, SMITH_F64 or SMITH_U64 (integers modulo 2^64) and the
/// type of all three arrays.
void convolveLoops(const Convolution &convolution, ElementType type,
                   const void *lhs, const void *rhs, void *result,
                   const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_CONVOLUTIONLOOPS_H
