// SPDX-License-Identifier: Apache-2.0
//
// One line of a batch: a model, a cluster, a plan with given degrees, the
// software, and what was measured if it ran. docs/calibration.md describes the
// JSON.

#ifndef SHARDSMITH_CALIBRATE_PLANROW_H
#define SHARDSMITH_CALIBRATE_PLANROW_H

#include "shardsmith/Cost/Calibration/Calibration.h"
#include "shardsmith/Plan/Fixed/FixedPlan.h"

#include <memory>

namespace shardsmith {

/// Constants of the profile that are known of the measured run, such as
/// `fused_attention` off or gradients reduced without overlap. No calibration
/// may change them.
struct ProfileSettings {
  std::vector<std::pair<double StackProfile::*, double>> numbers;
  std::vector<std::pair<bool StackProfile::*, bool>> flags;

  StackProfile appliedTo(StackProfile profile) const;
};

/// A built-in cluster with the differences a run states, or a description.
struct RowCluster {
  /// A built-in name or a file; empty if `description` is given.
  std::string name;
  std::string description;
  /// The bandwidth of all network interfaces of a node together.
  std::optional<double> networkGigabytesPerSecond;
  /// Sizes of the torus, innermost first, where the usual ones are wrong.
  std::vector<int64_t> torus;
  /// The rate of arithmetic of every device ÷ the built-in one, and its memory.
  double computeScale = 1;
  std::optional<double> memoryGib, memoryGigabytesPerSecond;

  auto operator<=>(const RowCluster &) const = default;
};

/// What `loadWorkload` needs.
struct RowModel {
  /// A built-in name, a file, or the text of a configuration.
  std::string model;
  std::optional<int64_t> sequenceLength, globalBatch;
  /// The type of parameters and activations; empty stands for the model's own.
  std::string elementType;

  auto operator<=>(const RowModel &) const = default;
};

struct PlanRow {
  std::string id;
  RowModel model;
  RowCluster cluster;
  FixedPlan plan;
  /// The type of products, where it differs from that of activations.
  std::optional<workload::ElementType> computeType;
  /// The name of the profile; empty stands for the one that the caller has
  /// chosen.
  std::string profile;
  ProfileSettings settings;
  Measurement measured;
};

/// Reads a row. Fails with a sentence in `error` that begins with a JSON
/// pointer.
std::optional<PlanRow> planRowFromJson(std::string_view text,
                                       std::string &error);

/// Workloads of models, with a global batch of one; fails with a sentence.
using LoadWorkload = std::function<std::shared_ptr<const workload::Workload>(
    const RowModel &model, std::string &error)>;

/// A row whose layouts are chosen; prices it under any profile.
class PricedRow {
public:
  StepEstimate estimate(const StackProfile &profile) const;
  Prediction predict(const StackProfile &profile) const;
  /// Whether links join all ranks.
  bool isConnected() const;
  /// The memory of the first kind of device, all of it.
  Bytes deviceMemory() const { return topology->deviceType(0).memory; }

private:
  friend class PlanRows;

  workload::Workload model;
  std::shared_ptr<const ClusterTopology> topology;
  ProfileSettings settings;
  Strategy strategy;
};

/// Prices rows; models and clusters that recur are loaded once.
class PlanRows {
public:
  explicit PlanRows(LoadWorkload load);
  ~PlanRows();

  /// Loads the row's model and cluster and chooses the layouts that are fastest
  /// under `profile`. Fails with a sentence in `error`.
  std::optional<PricedRow>
  prepare(const PlanRow &row, const StackProfile &profile, std::string &error);

private:
  struct Loaded;

  LoadWorkload load;
  std::unique_ptr<Loaded> loaded;
};

} // namespace shardsmith

#endif // SHARDSMITH_CALIBRATE_PLANROW_H
