// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_COST_COLLECTIVES_H
#define SHARDSMITH_LIB_COST_COLLECTIVES_H

#include "shardsmith/Cost/CostModel.h"

namespace shardsmith::cost {

/// Seconds of a collective by formula. `input` is what one member puts in.
double collectiveSeconds(CollectiveKind kind, int64_t members, double input,
                         const GroupLink &link);

/// Seconds by the calibration curve of this collective, scope and group size,
/// if there is one: log-linear between points, the outermost bandwidth beyond
/// them.
std::optional<double> interpolate(const std::vector<Calibration> &curves,
                                  CollectiveKind kind, const std::string &scope,
                                  int64_t members, double input);

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_COLLECTIVES_H
