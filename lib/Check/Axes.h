// SPDX-License-Identifier: Apache-2.0
//
// The checker's own rows of the axes of a plan: their names in files and
// options, which of them ranks with the same parameters lie along, and what
// splits the dimensions of a tensor. Nothing of it comes from the planner's
// rows.

#ifndef SHARDSMITH_LIB_CHECK_AXES_H
#define SHARDSMITH_LIB_CHECK_AXES_H

#include "shardsmith/Strategy/Strategy.h"

#include <span>

namespace shardsmith::check {

struct AxisRow {
  Degree degree;
  /// In plan.json.
  const char *key;
  /// In options, long and short.
  std::string_view name, abbreviation;
  /// Nothing for what is no axis of the mesh.
  std::optional<PlanAxis> axis = std::nullopt;
  /// Whether the ops of a unit exchange over it.
  bool isInUnits = false;
  /// What its ranks share, and how many of them a model has.
  const char *shared = nullptr;
  int64_t (*most)(const workload::Workload &workload) = nullptr;
};
std::span<const AxisRow> axisRows();

/// The axes of the mesh.
std::vector<PlanAxis> meshAxes();
/// The product of all axes; saturates.
int64_t ranksOf(const Strategy &strategy);
/// Ranks that hold the same parameters, those of experts apart.
int64_t replicasOf(const Strategy &strategy);
/// Whether some group that exchanges with every micro-batch has several data
/// ranks: one of experts, which fills up the context axis first, or one over
/// which ZeRO-2 or ZeRO-3 splits.
bool waitPerMicroBatch(const Strategy &strategy);
/// Over how many ranks the elements of a dimension are spread that counts this;
/// 1 for the batch, which is cut into micro-batches, and for what only the
/// tensor axis splits.
int64_t ranksSplitting(workload::FactorRole role, const Strategy &strategy);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_AXES_H
