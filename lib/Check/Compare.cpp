// SPDX-License-Identifier: Apache-2.0

#include "Compare.h"

#include "Rounding.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::check {
namespace {

/// Both sides add up rounded terms: times may differ by this share of the
/// step, sizes by a few bytes.
constexpr double roundingOfTime = 1e-6;
constexpr double roundingOfBytes = 64;

double allowance(const std::string &item, const StepFigures &derived) {
  if (item.find("memory") != std::string::npos)
    return roundingOfBytes;
  if (item.ends_with("_ns") || item.find("/time_ns/") != std::string::npos)
    return 1 + roundingOfTime * static_cast<double>(derived.step.count());
  return 0;
}

} // namespace

int64_t compareFigures(const Figures &claimed, const StepFigures &derived,
                       const std::string &prefix, Findings &findings) {
  for (const auto &[item, value] : derived.figures) {
    auto found = claimed.find(prefix + item);
    if (found == claimed.end())
      findings.broken(prefix + item, "is missing; it is {}", value);
    else if (std::abs(static_cast<double>(found->second) -
                      static_cast<double>(value)) > allowance(item, derived))
      findings.differs(prefix + item, found->second, value);
  }
  for (const auto &[item, value] : claimed)
    if (item.starts_with(prefix + "/prediction/") &&
        !derived.figures.count(item.substr(prefix.size())))
      findings.broken(item, "has no counterpart in this strategy");
  return static_cast<int64_t>(derived.figures.size());
}

void checkClaimedSums(const Figures &claimed, const std::string &prefix,
                      Findings &findings) {
  int64_t sum = 0;
  for (const auto &[item, value] : claimed)
    if (item.starts_with(prefix + "/prediction/time_ns/"))
      sum = added(sum, value);
  auto step = claimed.find(prefix + "/prediction/step_ns");
  if (step == claimed.end() || sum != step->second)
    findings.differs(prefix + "/prediction/step_ns",
                     step == claimed.end() ? 0 : step->second, sum,
                     "sum of the parts in time_ns");
}

void checkOrigin(const Origin &claimed, const std::string &prefix,
                 const StackProfile &profile, Findings &findings) {
  std::string provenance(toString(profile.provenance));
  if (claimed.provenance != provenance)
    findings.differs(prefix + "/prediction/provenance", claimed.provenance,
                     provenance);
  if (std::abs(claimed.uncertainty - profile.uncertainty) > 1e-9)
    findings.differs(prefix + "/prediction/uncertainty", claimed.uncertainty,
                     profile.uncertainty);
}

std::optional<double> dollarsPerStep(const ClusterTopology &topology,
                                     const Strategy &strategy, int64_t step) {
  double perHour = 0;
  int64_t ranks = strategy.rankCount();
  for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
    const DeviceType &device = topology.deviceType(pool);
    if (!device.dollarsPerHour)
      return std::nullopt;
    int64_t used = std::min(ranks, topology.pools()[pool].count());
    perHour += *device.dollarsPerHour * static_cast<double>(used);
    ranks -= used;
  }
  constexpr double nanosecondsPerHour = 3.6e12;
  return perHour * static_cast<double>(step) / nanosecondsPerHour;
}

} // namespace shardsmith::check
