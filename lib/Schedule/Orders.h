// SPDX-License-Identifier: Apache-2.0
//
// The order in which one rank of each family works.

#ifndef SHARDSMITH_LIB_SCHEDULE_ORDERS_H
#define SHARDSMITH_LIB_SCHEDULE_ORDERS_H

#include "shardsmith/Schedule/Families.h"

namespace shardsmith::schedule {

/// Families with one stage per rank, by must-happen-before rules.
std::vector<Step> ruledOrder(ScheduleFamily family, const PipelineShape &shape,
                             int64_t rank, double transferShare);
std::vector<Step> interleavedOrder(const PipelineShape &shape, int64_t rank);
std::vector<Step> zeroBubbleVOrder(const PipelineShape &shape, int64_t rank);
std::vector<Step> dualPipeVOrder(const PipelineShape &shape, int64_t rank);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_ORDERS_H
