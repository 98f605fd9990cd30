// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Calibrate/PlanRow.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Support/Gibibytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace shardsmith {
namespace {

/// A cluster and its topology, which points into it.
struct Machines {
  explicit Machines(Cluster described)
      : cluster(std::move(described)), topology(cluster) {}
  Machines(const Machines &) = delete;
  Machines &operator=(const Machines &) = delete;

  Cluster cluster;
  ClusterTopology topology;
};

/// Empty, or why the network of `group` is no torus of these sizes.
std::string torusProblem(const std::vector<int64_t> &sizes,
                         const Group &group) {
  int64_t nodes = 1;
  for (int64_t size : sizes)
    nodes = checkedMultiply(nodes, size).value_or(INT64_MAX);
  if (nodes == group.node.count)
    return "";
  return fmt::format("cluster/torus: dimensions multiply to {}, \"{}\" has {} "
                     "nodes",
                     nodes, group.name, group.node.count);
}

/// Returns what is wrong with the differences.
std::string applyDifferences(const RowCluster &row, Cluster &cluster) {
  constexpr double mostBytes = 9e18;
  for (auto &[name, device] : cluster.deviceTypes) {
    for (auto &[type, rate] : device.flopsPerSecond)
      rate *= row.computeScale;
    for (AttentionFit &fit : device.attentionFits)
      fit.flopsPerSecond *= row.computeScale;
    if (row.memoryGib)
      device.memory =
          Bytes(int64_t(std::min(*row.memoryGib * double(1 << 30), mostBytes)));
    if (row.memoryGigabytesPerSecond)
      device.bytesPerSecond = *row.memoryGigabytesPerSecond * 1e9;
  }
  if (!row.torus.empty())
    for (Group &group : cluster.groups) {
      group.network.dims = row.torus;
      if (std::string problem = torusProblem(row.torus, group);
          !problem.empty())
        return problem;
    }
  if (!row.networkGigabytesPerSecond)
    return "";
  for (const Group &group : cluster.groups) {
    auto link = cluster.linkTypes.find(group.node.nicLink);
    if (link != cluster.linkTypes.end() && group.node.nicCount > 0)
      link->second.bytesPerSecond =
          *row.networkGigabytesPerSecond * 1e9 / double(group.node.nicCount);
  }
  return "";
}

std::shared_ptr<const ClusterTopology> loadCluster(const RowCluster &row,
                                                   std::string &error) {
  ClusterResult result = row.description.empty() ? findCluster(row.name)
                                                 : readCluster(row.description);
  if (!result.cluster) {
    error = row.description.empty() ? result.errorText()
                                    : "cluster" + result.errorText();
    return nullptr;
  }
  error = applyDifferences(row, *result.cluster);
  if (error.empty())
    error = result.cluster->limitsProblem();
  if (!error.empty())
    return nullptr;
  auto machines = std::make_shared<const Machines>(std::move(*result.cluster));
  return {machines, &machines->topology};
}

} // namespace

struct PlanRows::Loaded {
  /// A model without its batch, or why it cannot be loaded.
  struct Model {
    std::shared_ptr<const workload::Workload> workload;
    std::string error;
  };
  struct Place {
    std::shared_ptr<const ClusterTopology> topology;
    std::string error;
  };

  std::map<RowModel, Model> models;
  std::map<RowCluster, Place> clusters;
};

PlanRows::PlanRows(LoadWorkload load)
    : load(std::move(load)), loaded(std::make_unique<Loaded>()) {}
PlanRows::~PlanRows() = default;

std::optional<PricedRow> PlanRows::prepare(const PlanRow &row,
                                           const StackProfile &profile,
                                           std::string &error) {
  RowModel withoutBatch = row.model;
  withoutBatch.globalBatch.reset();
  auto [model, isNewModel] = loaded->models.try_emplace(withoutBatch);
  if (isNewModel)
    model->second.workload = load(withoutBatch, model->second.error);
  auto [place, isNewPlace] = loaded->clusters.try_emplace(row.cluster);
  if (isNewPlace)
    place->second.topology = loadCluster(row.cluster, place->second.error);
  if (!model->second.workload || !place->second.topology) {
    error = model->second.workload ? place->second.error
                                   : "model: " + model->second.error;
    return std::nullopt;
  }

  PricedRow priced;
  priced.model = *model->second.workload;
  if (row.model.globalBatch)
    priced.model.globalBatch = *row.model.globalBatch;
  if (row.computeType)
    priced.model.computeType = *row.computeType;
  priced.topology = place->second.topology;
  priced.settings = row.settings;
  StackProfile applied = row.settings.appliedTo(profile);
  CostContext context{priced.model, *priced.topology, applied, {}};
  std::optional<Strategy> strategy = strategyOf(context, row.plan, error);
  if (!strategy)
    return std::nullopt;
  priced.strategy = std::move(*strategy);
  return priced;
}

StepEstimate PricedRow::estimate(const StackProfile &profile) const {
  StackProfile applied = settings.appliedTo(profile);
  return estimateStep({model, *topology, applied, {}}, strategy);
}

bool PricedRow::isConnected() const {
  return topology->path(1, strategy.rankCount()).isConnected();
}

Prediction PricedRow::predict(const StackProfile &profile) const {
  StepEstimate step = estimate(profile);
  return {double(step.step().count()) * 1e-9,
          gibOf(step.ranks[step.fullestRank].memory.total())};
}

} // namespace shardsmith
