// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_COST_COLLECTIVES_H
#define SHARDSMITH_LIB_COST_COLLECTIVES_H

#include "shardsmith/Cost/CostModel.h"

namespace shardsmith::cost {

/// Seconds of a collective by formula. `input` is what one member puts in.
double collectiveSeconds(CollectiveKind kind, int64_t members, double input,
                         const GroupLink &link);

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_COLLECTIVES_H
