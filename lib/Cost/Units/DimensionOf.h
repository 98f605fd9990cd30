// SPDX-License-Identifier: Apache-2.0
//
// Which dimension of a tensor a factor of an op is.

#ifndef SHARDSMITH_LIB_COST_UNITS_DIMENSIONOF_H
#define SHARDSMITH_LIB_COST_UNITS_DIMENSIONOF_H

#include "shardsmith/Workload/Workload.h"

#include <algorithm>
#include <optional>

namespace shardsmith::cost {

/// The dimension of `use` that has the factor.
inline std::optional<unsigned> dimensionOf(const workload::TensorUse &use,
                                           workload::FactorIndex factor) {
  for (unsigned dim = 0; dim < use.dims.size(); ++dim)
    if (std::ranges::count(use.dims[dim], factor))
      return dim;
  return std::nullopt;
}

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_UNITS_DIMENSIONOF_H
