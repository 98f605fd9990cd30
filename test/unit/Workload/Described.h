// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of ops, by the words that workload files have for them.

#ifndef SHARDSMITH_TEST_UNIT_WORKLOAD_DESCRIBED_H
#define SHARDSMITH_TEST_UNIT_WORKLOAD_DESCRIBED_H

#include "shardsmith/Workload/Descriptors.h"

namespace shardsmith::workload::described {

template <typename Parts>
OpDescriptors with(std::optional<Parts> OpDescriptors::*descriptor,
                   Parts parts = {}) {
  OpDescriptors descriptors;
  descriptors.*descriptor = parts;
  return descriptors;
}

inline const OpDescriptors fused;
inline const OpDescriptors matmul = with(&OpDescriptors::product);
inline const OpDescriptors groupedMatmul =
    with(&OpDescriptors::product, {.isPerExpert = true});
inline const OpDescriptors lookup = with(&OpDescriptors::lookup);
inline const OpDescriptors dispatch = with(&OpDescriptors::exchange);
inline const OpDescriptors combine =
    with(&OpDescriptors::exchange, {.isToExperts = false});

} // namespace shardsmith::workload::described

#endif // SHARDSMITH_TEST_UNIT_WORKLOAD_DESCRIBED_H
