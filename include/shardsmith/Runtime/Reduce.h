// SPDX-License-Identifier: Apache-2.0
//
// Element-wise reduction of the ranks' buffers.

#ifndef SHARDSMITH_RUNTIME_REDUCE_H
#define SHARDSMITH_RUNTIME_REDUCE_H

#include "shardsmith/Runtime/ElementType.h"

#include <span>

namespace shardsmith::runtime {

/// out[i] = sources[0][i] ∘ sources[1][i] ∘ …, from left to right, so the
/// result depends on nothing but the order of the sources. 16-bit floats are
/// combined in float32 and rounded once at the end; integers wrap; sum and
/// product of bool are "or" and "and"; NaN wins over any number in max and
/// min. `out` may be one of the sources. Floats know no "and" and "or".
void reduceElements(ElementType type, Reduction reduction,
                    std::span<const void *const> sources, void *out,
                    int64_t count);

/// Throws a Failure where the pair has no meaning.
void checkReduction(ElementType type, Reduction reduction);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_REDUCE_H
