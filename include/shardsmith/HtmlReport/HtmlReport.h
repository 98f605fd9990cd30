// SPDX-License-Identifier: Apache-2.0
//
// Plans as one HTML page: no script, no other file, pictures drawn as SVG.
// docs/report.md says what is on it. The page is well-formed XML as well.

#ifndef SHARDSMITH_HTMLREPORT_HTMLREPORT_H
#define SHARDSMITH_HTMLREPORT_HTMLREPORT_H

#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/Schedule/Simulation.h"

#include <span>

namespace shardsmith {

/// The best plan under a further constraint.
struct SensitivityAnswer {
  /// As for `plan --fix`: `tp=8`.
  std::string pin;
  /// Nothing if no plan fits.
  std::optional<Nanoseconds> step;
  /// The decisions of that plan, in a line.
  std::string strategy;
  /// What differs most, or what is missing.
  std::string reason;
  /// The search was cut short: a better plan may exist.
  bool stopped = false;
};

struct ReportedPlan {
  /// How the user calls it: the path.
  std::string name;
  const PlanDocument &document;
  const ClusterTopology &topology;
  /// The pipeline, played; null if it cannot be.
  const schedule::Simulation *simulation = nullptr;
  std::vector<SensitivityAnswer> sensitivity;
};

/// The page. `plans` must not be empty.
std::string htmlReport(std::span<const ReportedPlan> plans);

} // namespace shardsmith

#endif // SHARDSMITH_HTMLREPORT_HTMLREPORT_H
