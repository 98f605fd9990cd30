// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlanningInputs.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Driver/ModelSource.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>

namespace shardsmith {

PlanningInputs::PlanningInputs(
    std::shared_ptr<const workload::Workload> workload,
    std::shared_ptr<const Cluster> cluster, StackProfile profile,
    double memoryMargin)
    : model(std::move(workload)), machines(std::move(cluster)),
      stack(std::move(profile)), paths(*machines), memoryMargin(memoryMargin) {}

CostContext PlanningInputs::context() const {
  return {*model, paths, stack, {memoryMargin}};
}

PlanDocument PlanningInputs::emptyDocument() const {
  PlanDocument document;
  document.toolVersion = SHARDSMITH_VERSION;
  document.model = {{model->modelName, model->modelHash},
                    model->parameterCount(),
                    model->globalBatch,
                    model->sequenceLength,
                    model->forwardFlops(),
                    model->computeType};
  document.cluster = {machines->name, machines->hash()};
  for (const DevicePool &pool : paths.pools())
    document.pools.push_back({pool.type, pool.count()});
  document.profile = {stack.name, hashOf(stack)};
  return document;
}

namespace {

std::shared_ptr<const workload::Workload>
readWorkload(const ModelOptions &options) {
  std::string error;
  std::optional<workload::Workload> workload =
      workload::workloadFromJson(requireText(options.path), error);
  if (!workload)
    fail(ExitCode::BadInput, options.path + ": " + error);
  if (options.description.globalBatch)
    workload->globalBatch = *options.description.globalBatch;
  return std::make_shared<const workload::Workload>(std::move(*workload));
}

/// Bytes of one f32 value per parameter.
constexpr double oneValue = 4;

/// Profiles speak of Adam: two moments, which every step reads and writes.
void applyOptimizer(const std::string &optimizer, StackProfile &profile) {
  if (optimizer != "sgd")
    return;
  profile.stateBytesPerParameter =
      std::max(0.0, profile.stateBytesPerParameter - 2 * oneValue);
  profile.optimizerBytesPerParameter =
      std::max(0.0, profile.optimizerBytesPerParameter - 4 * oneValue);
}

} // namespace

namespace {

/// Open dimensions without axes leave everything to the planner.
bool isChoice(sdy::TensorShardingAttr sharding) {
  return sharding && (!sharding.getReplicatedAxes().empty() ||
                      llvm::any_of(sharding.getDimShardings(),
                                   [](sdy::DimensionShardingAttr dim) {
                                     return dim.getIsClosed() ||
                                            !dim.getAxes().empty();
                                   }));
}

/// The first choice of a layout in the model.
std::string shardingIn(mlir::ModuleOp module) {
  std::string found;
  auto add = [&](sdy::TensorShardingAttr sharding, mlir::Operation *op) {
    if (!found.empty() || !isChoice(sharding))
      return;
    llvm::raw_string_ostream os(found);
    os << sharding;
    if (sdy::MeshAttr mesh = sharding.getMesh(op)) {
      os << " on the mesh ";
      os << mesh;
    }
  };
  module.walk([&](mlir::Operation *op) {
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        add(function.getArgAttrOfType<sdy::TensorShardingAttr>(
                i, sdy::kShardingAttributeName),
            op);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        add(sdy::getResultSharding(function, i), op);
      return;
    }
    for (mlir::OpResult result : op->getResults())
      add(sdy::getSharding(result), op);
  });
  return found;
}

} // namespace

bool statesShardings(const LoadedModel &model) {
  return model.module && !shardingIn(*model.module).empty();
}

void requireNoShardings(const LoadedModel &model, const std::string &path) {
  if (statesShardings(model))
    fail(ExitCode::Unsupported,
         fmt::format("{}: the model says how its values are split ({}), which "
                     "only 'plan' and 'compile' keep, for no other runtime; "
                     "remove its shardings, or use one of these commands",
                     path, shardingIn(*model.module)));
}

bool isWorkloadFile(const std::string &path) {
  return path.ends_with(".workload.json");
}

LoadedModel loadModelOf(Session &session, const ModelOptions &options,
                        Layers layers) {
  LoadedModel loaded;
  if (isWorkloadFile(options.path)) {
    loaded.workload = readWorkload(options);
    return loaded;
  }
  if (isModelDescription(options.path) && layers != Layers::Inlined) {
    loaded.module =
        loadFolded(session, options,
                   layers == Layers::Repeated ? &loaded.repeated : nullptr);
    session.dump(*loaded.module, 0, "imported");
  } else {
    loaded.module = importForward(session, options);
    smith::eraseCustomDerivatives(*loaded.module);
  }
  llvm::Expected<workload::Workload> workload =
      extractWorkload(*loaded.module, &loaded.map, loaded.repeated);
  if (!workload)
    fail(workload.takeError());
  loaded.workload =
      std::make_shared<const workload::Workload>(std::move(*workload));
  return loaded;
}

StackProfile profileOf(const PlanningRequest &request, const Cluster &cluster) {
  std::string name = request.profile;
  if (name.empty())
    name = defaultProfileName(cluster);
  std::string error;
  std::optional<StackProfile> profile = name.starts_with("{")
                                            ? profileFromJson(name, error)
                                            : findProfile(name, error);
  if (!profile)
    fail(ExitCode::BadInput, error);
  applyOptimizer(request.train.optimizer.name, *profile);
  return std::move(*profile);
}

void requirePrices(const PlanningRequest &request, const Cluster &cluster) {
  if (request.objective == "time")
    return;
  for (const Group &group : cluster.groups)
    for (const DeviceSlot &slot : group.node.devices)
      if (!cluster.deviceTypes.at(slot.type).dollarsPerHour)
        fail(ExitCode::BadInput,
             fmt::format("--objective {} needs a price of every device, but "
                         "device type \"{}\" of cluster \"{}\" has no "
                         "price_per_hour_usd; --price {}=2.5 would give it one",
                         request.objective, slot.type, cluster.name,
                         slot.type));
  for (const auto &[name, link] : cluster.linkTypes)
    if (link.egressDollarsPerGib > 0)
      fmt::print(stderr,
                 "note: prices are those of devices; egress_usd_per_gib of "
                 "link type \"{}\" is not counted\n",
                 name);
}

namespace {

/// Dollars per hour; throws Failure for anything else.
double priceOf(std::string_view text) {
  double dollars = 0;
  const char *begin = text.begin(), *end = text.end();
  auto [rest, error] = std::from_chars(begin, end, dollars);
  if (error != std::errc() || rest != end || !(dollars >= 0) ||
      std::isinf(dollars))
    fail(ExitCode::Usage,
         fmt::format("--price: \"{}\" is no price; expected dollars per device "
                     "and hour, as 2.9 or h100=2.9,a100-80=1.5",
                     text));
  return dollars;
}

/// Replaces prices by those of `text`, as `--price` has them.
void setPrices(std::string_view text, Cluster &cluster) {
  for (auto range : text | std::views::split(',')) {
    std::string_view part(range.begin(), range.end());
    size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      double dollars = priceOf(part);
      for (auto &[name, type] : cluster.deviceTypes)
        type.dollarsPerHour = dollars;
      continue;
    }
    auto type = cluster.deviceTypes.find(std::string(part.substr(0, equals)));
    if (type == cluster.deviceTypes.end())
      fail(ExitCode::Usage,
           fmt::format("--price: cluster \"{}\" has no device type \"{}\"; it "
                       "has {}",
                       cluster.name, part.substr(0, equals),
                       fmt::join(std::views::keys(cluster.deviceTypes), ", ")));
    type->second.dollarsPerHour = priceOf(part.substr(equals + 1));
  }
}

/// Devices that cost too much, or need too much power, are left out of plans.
void noteBudget(const Cluster &cluster) {
  size_t left = cluster.usableDevices().size(),
         all = cluster.withoutBudgets().usableDevices().size();
  if (left < all)
    fmt::print(stderr,
               "note: the limits of cluster \"{}\" are enough for {} of its {} "
               "devices\n",
               cluster.name, left, all);
}

} // namespace

Cluster clusterOf(const PlanningRequest &request) {
  Cluster cluster = requireCluster(request.cluster);
  if (!request.price.empty())
    setPrices(request.price, cluster);
  if (std::string problem = cluster.limitsProblem(); !problem.empty())
    fail(ExitCode::BadInput, problem);
  noteBudget(cluster);
  return cluster;
}

std::shared_ptr<const PlanningInputs> loadInputs(Session &session,
                                                 PlanningRequest &request,
                                                 LoadedModel &model,
                                                 Layers layers) {
  // The cluster first: a misspelt name should not wait for a large model.
  auto cluster = std::make_shared<const Cluster>(clusterOf(request));
  return loadInputs(session, request, std::move(cluster), model, layers);
}

std::shared_ptr<const PlanningInputs>
loadInputs(Session &session, PlanningRequest &request,
           std::shared_ptr<const Cluster> cluster, LoadedModel &model,
           Layers layers) {
  requirePrices(request, *cluster);
  StackProfile profile = profileOf(request, *cluster);
  model = loadModelOf(session, request.model, layers);
  if (request.profile.empty())
    request.profile = profile.name;
  return std::make_shared<const PlanningInputs>(
      model.workload, std::move(cluster), std::move(profile),
      request.memoryMargin);
}

} // namespace shardsmith
