// SPDX-License-Identifier: Apache-2.0

#include "Infeasible.h"

namespace shardsmith::search {

Infeasibility explainInfeasibility(const CostContext &context,
                                   const SearchOptions &options) {
  (void)context;
  (void)options;
  return {};
}

} // namespace shardsmith::search
