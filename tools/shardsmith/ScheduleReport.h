// SPDX-License-Identifier: Apache-2.0
//
// What is said of a schedule that was played.

#ifndef SHARDSMITH_TOOLS_SCHEDULEREPORT_H
#define SHARDSMITH_TOOLS_SCHEDULEREPORT_H

#include "shardsmith/Driver/PlayedSchedule.h"

#include <nlohmann/json_fwd.hpp>

namespace shardsmith {

/// Lines for people: where the schedule is from, if not from the plan, and
/// ranks that have no room for it.
std::string describe(const PlayedSchedule &schedule);
nlohmann::ordered_json toJson(const PlayedSchedule &schedule);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SCHEDULEREPORT_H
