// SPDX-License-Identifier: Apache-2.0
//
// How parameters may lie on the ranks of the tensor axis where whoever holds
// them knows fewer splits than ops can compute with. For each dimension there
// is a number that the ranks must divide to keep the parameter split by it:
//
//     0    any number of ranks may
//     n    the ranks that divide n
//     1    no two ranks can: it is whole on each
//
// An op may still compute with a part of what is whole.

#ifndef SHARDSMITH_WORKLOAD_PARAMETERSPLITS_H
#define SHARDSMITH_WORKLOAD_PARAMETERSPLITS_H

#include <cstdint>
#include <vector>

namespace shardsmith::workload {

/// By tensor of a block and by dimension; tensors without an entry may be split
/// by any.
using BlockSplits = std::vector<std::vector<int64_t>>;
/// By block; without entries all parameters may be split by any dimension.
using ParameterSplits = std::vector<BlockSplits>;

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_PARAMETERSPLITS_H
