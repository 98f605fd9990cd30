// SPDX-License-Identifier: Apache-2.0

#include "ScheduleReport.h"

#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Schedule/Families.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using schedule::FamilyPeriod;
using schedule::FoundSchedule;

/// How the families compare with what was found.
std::string describe(const FoundSchedule &found) {
  if (found.families.empty())
    return "schedule   searched; no family fits\n";
  const FamilyPeriod &best = found.families.front();
  if (best.period == found.period)
    return fmt::format("schedule   nothing found is faster than {}\n",
                       nameOf(best.family));
  std::string text = "schedule   searched; families take longer:";
  for (const FamilyPeriod &family : found.families)
    text += fmt::format(
        "{} {} {:+.2f} %", &family == &best ? "" : ",", nameOf(family.family),
        100 *
            (double(family.period.count()) / double(found.period.count()) - 1));
  return text + "\n";
}

} // namespace

std::string describe(const PlayedSchedule &schedule) {
  std::string text;
  if (schedule.found)
    text = describe(*schedule.found);
  for (size_t rank = 0; rank < schedule.room.size(); ++rank) {
    Bytes peak = schedule.played.simulation.ranks[rank].peakMemory;
    if (schedule.isTooLargeFor(rank))
      text += fmt::format("memory     rank {} holds {} of activations at its "
                          "peak; the plan leaves room for {}\n",
                          rank, describeBytes(peak),
                          describeBytes(schedule.room[rank]));
  }
  return text;
}

nlohmann::ordered_json toJson(const PlayedSchedule &schedule) {
  nlohmann::ordered_json json = {{"source", schedule.source}};
  if (schedule.measuredStep)
    json["measured"] = {{"step_ns", schedule.measuredStep->count()},
                        {"steps", schedule.measuredSteps}};
  if (!schedule.room.empty()) {
    bool fits = true;
    for (size_t rank = 0; rank < schedule.room.size(); ++rank)
      fits &= !schedule.isTooLargeFor(rank);
    json["fits"] = fits;
  }
  if (!schedule.found)
    return json;
  json["period_ns"] = schedule.found->period.count();
  json["lower_bound_ns"] = schedule.found->lowerBound.count();
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyPeriod &family : schedule.found->families)
    families.push_back({{"family", nameOf(family.family)},
                        {"period_ns", family.period.count()}});
  json["families"] = families;
  return json;
}

} // namespace shardsmith
