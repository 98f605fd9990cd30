// SPDX-License-Identifier: Apache-2.0
//
// Everything the planner reads, loaded and owned: the model as a workload, the
// cluster with its topology, and the software profile.

#ifndef SHARDSMITH_DRIVER_PLANNINGINPUTS_H
#define SHARDSMITH_DRIVER_PLANNINGINPUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Workload/GraphMap.h"

#include <memory>

namespace shardsmith {

class Session;

class PlanningInputs {
public:
  PlanningInputs(std::shared_ptr<const workload::Workload> workload,
                 std::shared_ptr<const Cluster> cluster, StackProfile profile,
                 double memoryMargin);
  PlanningInputs(const PlanningInputs &) = delete;
  PlanningInputs &operator=(const PlanningInputs &) = delete;

  const workload::Workload &workload() const { return *model; }
  const Cluster &cluster() const { return *machines; }
  const StackProfile &profile() const { return stack; }
  const ClusterTopology &topology() const { return paths; }
  CostContext context() const;

  /// Nothing is planned yet: identity and figures of the inputs only.
  PlanDocument emptyDocument() const;

private:
  std::shared_ptr<const workload::Workload> model;
  std::shared_ptr<const Cluster> machines;
  StackProfile stack;
  ClusterTopology paths;
  double memoryMargin;
};

/// A model, its workload, and where the one is in the other. The module is null
/// for workload files.
struct LoadedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Calls of the module that stand for several.
  smith::RepeatedCalls repeated;
  workload::GraphMap map;
  std::shared_ptr<const workload::Workload> workload;
};

/// Whether the model says how some of its values are split.
bool statesShardings(const LoadedModel &model);

/// For commands that leave all layouts to the strategy search: throws Failure
/// if the model says how some of its values are split.
void requireNoShardings(const LoadedModel &model, const std::string &path);

/// A model without ops, as `inspect --workload --json` writes it.
bool isWorkloadFile(const std::string &path);
/// With the prices that the request gives. Throws Stop or Failure.
Cluster clusterOf(const PlanningRequest &request);

/// How a described model has its layers: each as a call of its function, long
/// runs of equal ones as calls of which one stands for several, or each as its
/// ops, as programs are made of them. Files are always read as ops.
enum class Layers { Written, Repeated, Inlined };
/// Throws Stop or Failure.
LoadedModel loadModelOf(Session &session, const ModelOptions &options,
                        Layers layers = Layers::Written);

/// The profile asked for, or the one that fits the cluster, with the states of
/// the optimizer asked for. Throws Failure.
StackProfile profileOf(const PlanningRequest &request, const Cluster &cluster);

/// Throws Failure if dollars are to be minimised and a device has no price.
void requirePrices(const PlanningRequest &request, const Cluster &cluster);

/// Throws Stop or Failure. Fills in what the request left open.
std::shared_ptr<const PlanningInputs>
loadInputs(Session &session, PlanningRequest &request, LoadedModel &model,
           Layers layers = Layers::Written);
/// The same for a cluster that has been read.
std::shared_ptr<const PlanningInputs>
loadInputs(Session &session, PlanningRequest &request,
           std::shared_ptr<const Cluster> cluster, LoadedModel &model,
           Layers layers = Layers::Written);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PLANNINGINPUTS_H
