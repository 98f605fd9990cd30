// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ProgramPlan.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Driver/CompileTarget.h"
#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/LossGraph.h"
#include "shardsmith/Driver/LoweringCheck.h"
#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace shardsmith {
namespace {

/// Whether --fix speaks of mesh axes only: `data=2,tensor=2`.
bool namesMesh(const std::string &fix) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(fix).split(parts, ',', -1, /*KeepEmpty=*/false);
  return !parts.empty() && llvm::all_of(parts, [](llvm::StringRef part) {
    return isNameForUsers(part.trim().split('=').first);
  });
}

PlanOptions layoutOptions(const PlanningRequest &request) {
  PlanOptions options;
  options.memoryMargin = request.memoryMargin;
  constexpr double noLimit = 1e6;
  options.timeLimitSeconds =
      request.timeLimit > 0 ? request.timeLimit : noLimit;
  return options;
}

std::vector<FixedAxis> parseMesh(const std::string &fix) {
  llvm::Expected<std::vector<FixedAxis>> axes = parseFixedAxes(fix);
  if (!axes)
    fail(axes.takeError());
  return std::move(*axes);
}

/// Tensor and data ranks in each other's place.
std::vector<PlanAxis> withDataInside() {
  std::vector<PlanAxis> order = usualDeviceOrder();
  std::iter_swap(std::ranges::find(order, PlanAxis::Tensor),
                 std::ranges::find(order, PlanAxis::Data));
  return order;
}

/// What a mesh that the user has given leaves open.
SearchConstraints constraintsOf(const std::vector<FixedAxis> &mesh) {
  SearchConstraints constraints;
  DegreeRange data{1, 1}, tensor{1, 1};
  bool fullySharded = false;
  for (const FixedAxis &axis : mesh) {
    DegreeRange &range =
        roleOfAxis(axis.name) == AxisRole::Tensor ? tensor : data;
    range.least = range.most = range.least * axis.size;
    if (roleOfAxis(axis.name) == AxisRole::FullySharded) {
      fullySharded = true;
      constraints.dataRanksPerCopy = axis.size;
    }
  }
  constraints.data = data;
  constraints.tensor = tensor;
  constraints.zero = {!fullySharded, false, false, fullySharded};
  // Strategies have the ranks of one copy next to each other; a mesh that has
  // not is none of theirs, and its layouts are searched without marks.
  auto place = [&](AxisRole role) {
    return std::ranges::find_if(mesh, [&](const FixedAxis &axis) {
      return roleOfAxis(axis.name) == role;
    });
  };
  auto copies = place(AxisRole::Data);
  if (copies != mesh.end() && place(AxisRole::FullySharded) < copies)
    constraints.recompute = {true, false, false};
  // The first axis is the one to distant devices.
  if (mesh.size() > 1 && roleOfAxis(mesh.front().name) == AxisRole::Tensor)
    constraints.deviceOrder = withDataInside();
  return constraints;
}

/// With what is forbidden besides. Throws Failure if that is part of it.
SearchConstraints constraintsOf(const std::vector<FixedAxis> &mesh,
                                const std::string &forbid) {
  SearchConstraints constraints = constraintsOf(mesh);
  if (forbid.empty())
    return constraints;
  if (std::optional<std::string> problem = constraints.forbid(forbid))
    fail(ExitCode::Usage, "--forbid: " + *problem);
  return constraints;
}

/// Leaves what programs can do, if anything.
void restrictToPrograms(SearchConstraints &constraints) {
  // With one micro-batch ZeRO-2 is the program of ZeRO-1. Where it is asked
  // for, sums of gradients are kept in shards.
  if (constraints.zero[1])
    constraints.zero[2] = false;
}

/// Unless they are asked for on several ranks, which the train step then
/// refuses with the place of the obstacle.
void keepExpertsTogether(SearchConstraints &constraints) {
  if (constraints.expert.least > 1)
    return;
  constraints.expert.most = 1;
  fmt::print(stderr,
             "note: all experts stay on each rank: their rows are not followed "
             "back to the tokens that chlo.top_k has chosen experts for\n");
}

bool isWhole(const Strategy &strategy, int64_t globalBatch) {
  return globalBatch % strategy.microBatch == 0 &&
         globalBatch / strategy.microBatch >= strategy.data;
}

/// Throws Failure if the micro-batches of a plan do not make up the batch.
void requireWholeMicroBatches(const Strategy &strategy, int64_t globalBatch) {
  if (isWhole(strategy, globalBatch))
    return;
  fail(ExitCode::Unsupported,
       fmt::format("no program can be built of this plan: {} sequences are not "
                   "one or more micro-batches of {} for each of {} data ranks; "
                   "plan with --fix micro-batch=N for an N that divides {}",
                   globalBatch, strategy.microBatch, strategy.data,
                   globalBatch));
}

/// The fastest of the plans found that takes the batch in micro-batches of one
/// size, at least one of them on each data rank; the end if there is none.
auto firstWholePlan(const SearchResult &found, int64_t globalBatch) {
  return std::ranges::find_if(found.plans, [&](const RankedPlan &plan) {
    return isWhole(plan.strategy, globalBatch);
  });
}

bool hasWholePlan(const SearchResult &found, int64_t globalBatch) {
  return firstWholePlan(found, globalBatch) != found.plans.end();
}

bool bringWholePlanForward(SearchResult &result, int64_t globalBatch) {
  auto whole = firstWholePlan(result, globalBatch);
  if (whole == result.plans.end())
    return false;
  result.plans.erase(result.plans.begin(), whole);
  return true;
}

/// How many of the step's micro-batches each data rank has. A strategy may
/// promise more than there are: those with most have one less then.
std::vector<int64_t> sharesOf(const Strategy &strategy, int64_t globalBatch) {
  int64_t total = globalBatch / strategy.microBatch;
  std::vector<int64_t> shares;
  for (const DataShare &share : strategy.dataShares)
    shares.insert(shares.end(), size_t(share.ranks), share.microBatches);
  if (shares.empty())
    shares.assign(size_t(strategy.data), ceilDivide(total, strategy.data));
  int64_t promised = std::accumulate(shares.begin(), shares.end(), int64_t(0));
  for (; promised > total; --promised) {
    int64_t most = *std::ranges::max_element(shares);
    // The last one of them.
    --*std::ranges::find(shares.rbegin(), shares.rend(), most);
  }
  return shares;
}

/// One plan per combination of degrees, so that one in whole micro-batches is
/// among them.
constexpr size_t kPlansToConsider = 100;

} // namespace

std::string ProgramPlan::fileText(const StepPlan &program) const {
  PlanDocument whole = document;
  whole.program = program;
  return toJson(whole);
}

bool isBuildable(const PlanningRequest &request, const Cluster &cluster) {
  return !isWorkloadFile(request.model.path) && cluster.hasOnlyProcessors();
}

std::string programObstacle(const SearchConstraints &constraints) {
  bool hasTensor = constraints.tensor.most > 1;
  for (auto [name, isAllowed] :
       {std::pair("sp", constraints.sequenceParallel),
        std::pair("features", constraints.splitsFeatures)})
    if (!isAllowed && hasTensor)
      return fmt::format("programs choose the layout of every value by itself, "
                         "so {}=off asks for tp=1",
                         name);
  return "";
}

namespace {

/// Of the time that the user gives; layouts get the rest.
constexpr double searchShare = 0.75;

/// A signal, or the end of the user's time, ends the search of layouts with the
/// best there are.
StepPlan findLayouts(mlir::ModuleOp step, const StepSchedule &schedule,
                     const Cluster &cluster, const StackProfile &profile,
                     PlanOptions options) {
  InterruptFlag interrupt;
  ResourceWatch::LayoutSearch search;
  options.mustStop = &ResourceWatch::LayoutSearch::mustStop;
  StepPlan plan = findPlan(step, schedule, cluster, profile, options);
  ResourceWatch::foundPlan();
  return plan;
}

StepSchedule scheduleOf(const Strategy &strategy, int64_t globalBatch) {
  StepSchedule result;
  std::vector<int64_t> shares = sharesOf(strategy, globalBatch);
  result.microBatches = *std::ranges::max_element(shares);
  if (std::ranges::min(shares) != result.microBatches)
    result.shares = std::move(shares);
  if (strategy.pipeline == 1)
    return result;
  std::string error;
  std::optional<schedule::Schedule> schedule = schedule::makeSchedule(
      strategy.schedule,
      {strategy.pipeline, strategy.virtualStages, result.microBatches}, error);
  if (!schedule)
    fail(ExitCode::Internal, error);
  result.table = schedule::toTable(*schedule);
  return result;
}

/// Experts are dealt out in equal shares, the last ranks get what is left.
/// Throws Failure if that is nothing.
void requireExpertsOnAllRanks(const workload::Workload &workload,
                              int64_t ranks) {
  for (const workload::Block &block : workload.blocks)
    for (const workload::Op &op : block.ops)
      for (const workload::Factor &factor : op.factors) {
        if (factor.role != workload::FactorRole::Expert || ranks == 1)
          continue;
        int64_t share = ceilDivide(factor.size, ranks);
        if (share * (ranks - 1) >= factor.size)
          fail(ExitCode::Unsupported,
               fmt::format("no program can be built: of {} experts {} ranks "
                           "hold {} each, and the last one none; use ep={}",
                           factor.size, ranks, share,
                           ceilDivide(factor.size, share)));
      }
}

} // namespace

void ProgramPlan::take(PlayedSchedule schedule) {
  plan().schedule = schedule::toTable(schedule::passesOf(schedule.schedule));
  bool isOfFamily =
      plan().schedule ==
      scheduleOf(document.strategy, document.model.globalBatch).table;
  plan().predicted.step =
      isOfFamily ? document.estimate.step() : schedule.played.step;
  played = std::move(schedule);
}

namespace {

PlanDocument documentOf(StepPlan plan, PlanningRequest request,
                        const Cluster &cluster) {
  request.profile = plan.profile.name;
  std::vector<PlannedPool> pools;
  ClusterTopology topology(cluster);
  for (const DevicePool &pool : topology.pools())
    pools.push_back({pool.type, pool.count()});
  return shardsmith::planWithoutStrategy(std::move(plan), std::move(pools),
                                         toOptions(request));
}

/// The layouts and the mesh of a model without a strategy.
ProgramPlan planWithoutStrategy(Session &session,
                                const PlanningRequest &request,
                                const Cluster &cluster,
                                const StackProfile &profile,
                                const PlanOptions &options, LossGraph graph) {
  const char *why = graph.hasMesh() ? "shardings of its own"
                                    : "no chain of blocks that count samples";
  ProgramPlan result;
  result.step = graph.intoTrainStep(session, request.train);
  if (!request.forbid.empty())
    fail(ExitCode::Usage,
         fmt::format("--forbid {}: the model has {}, so its layouts are "
                     "searched without a strategy; drop it, or say with "
                     "--fix data=…,fsdp=…,tensor=… what the mesh shall be",
                     request.forbid, why));
  if (!request.fix.empty() && !namesMesh(request.fix))
    fail(ExitCode::Usage,
         fmt::format("--fix {}: the model has {}, so its layouts are "
                     "searched without a strategy; --fix can only give the "
                     "mesh, as data=2,tensor=2",
                     request.fix, why));
  result.document =
      documentOf(findLayouts(*result.step, {}, cluster, profile, options),
                 request, cluster);
  return result;
}

/// The plans that use all devices, unless what is given says otherwise or there
/// are none: then the fastest of those that leave some idle.
SearchResult searchForPrograms(
    Session &session, const std::shared_ptr<const PlanningInputs> &inputs,
    SearchConstraints constraints, const PlanningRequest &request) {
  int64_t devices = inputs->topology().deviceCount();
  int64_t globalBatch = inputs->workload().globalBatch;
  DegreeRange given = constraints.devices;
  SearchResult onAll;
  if (given.contains(devices)) {
    constraints.devices = {devices, devices};
    onAll = runSearch(inputs, constraints, request, searchShare);
    bool mayBeFewer = given.least < devices && !onAll.stoppedEarly;
    if (!mayBeFewer || hasWholePlan(onAll, globalBatch))
      return onAll;
  }
  constraints.devices = {given.least, std::min(given.most, devices)};
  SearchResult onFewer = runSearch(inputs, constraints, request, searchShare);
  if (!hasWholePlan(onFewer, globalBatch) && !onAll.plans.empty())
    return onAll;
  if (given.contains(devices) && hasWholePlan(onFewer, globalBatch))
    session.note(fmt::format("no plan uses all {} devices of the cluster; some "
                             "stay idle",
                             devices));
  return onFewer;
}

/// Differentiates the graph, and lays every value of the step out on the mesh
/// of the plan's strategy, or on that which `options` fix.
void layOut(Session &session, const PlanningRequest &request,
            const StackProfile &profile, PlanOptions options, LossGraph graph,
            ProgramPlan &planned) {
  const PlanningInputs &inputs = *planned.inputs;
  const Strategy &strategy = planned.document.strategy;
  requireExpertsOnAllRanks(inputs.workload(), strategy.expert);
  std::vector<FixedAxis> mesh = trainingMesh(strategy);
  bool meshGiven = namesMesh(request.fix);
  // An axis of one rank splits nothing.
  if (!mesh.empty())
    std::erase_if(options.fix,
                  [](const FixedAxis &axis) { return axis.size == 1; });
  if (!meshGiven) {
    options.fix = mesh;
    options.devices = 1;
    for (const FixedAxis &axis : mesh)
      options.devices *= axis.size;
  }
  TrainOptions train = request.train;
  train.expertExchange = exchangeFor(train.expertExchange, inputs.cluster());
  planned.step = graph.intoTrainStep(
      session, train,
      mesh.empty() || options.fix == mesh ? &strategy : nullptr);
  planned.document.program = findLayouts(
      *planned.step, scheduleOf(strategy, inputs.workload().globalBatch),
      inputs.cluster(), profile, options);
  // A module may have no name; the plan's is that of the workload.
  planned.plan().model = planned.document.model.identity;
  planned.plan().predicted.step = planned.document.estimate.step();
}

/// A strategy for the graph, which is a chain of blocks, and the layouts of its
/// values.
ProgramPlan planWithStrategy(Session &session, const PlanningRequest &request,
                             const std::shared_ptr<const Cluster> &cluster,
                             const StackProfile &profile, PlanOptions options,
                             SearchConstraints constraints, LossGraph graph) {
  bool meshGiven = namesMesh(request.fix);
  workload::Workload workload = *graph.workload;
  PlanningRequest whole = request;
  whole.top = kPlansToConsider;
  whole.profile = profile.name;
  auto shared = std::make_shared<const PlanningInputs>(
      std::make_shared<const workload::Workload>(std::move(workload)), cluster,
      profile, request.memoryMargin);
  const PlanningInputs &inputs = *shared;
  std::string obstacle = programObstacle(constraints);
  if (!obstacle.empty())
    fail(ExitCode::Usage,
         fmt::format("no program does what was given: {}", obstacle));
  restrictToPrograms(constraints);
  if (constraints.expert.most > 1 && !graph.canSpreadExperts())
    keepExpertsTogether(constraints);
  // A mesh says itself how many devices there are.
  if (meshGiven)
    constraints.devices = {inputs.topology().deviceCount(),
                           inputs.topology().deviceCount()};
  SearchResult found = searchForPrograms(session, shared, constraints, whole);
  bool isFound = bringWholePlanForward(found, inputs.workload().globalBatch);
  ProgramPlan result;
  if (!isFound && meshGiven) {
    // A mesh that makes no sense is refused with the reason by the search for
    // layouts.
    result.step = graph.intoTrainStep(session, request.train);
    result.document =
        documentOf(findLayouts(*result.step, {}, *cluster, profile, options),
                   request, *cluster);
    return result;
  }
  if (found.plans.empty())
    failWithoutPlan(found, *cluster);
  if (!isFound)
    fail(ExitCode::BadInput,
         fmt::format(
             "no plan takes {} sequences in micro-batches of one size on {} "
             "devices; use a size of the batch, or of micro-batches, that "
             "divides",
             inputs.workload().globalBatch, inputs.topology().deviceCount()));
  found.plans.resize(std::min(found.plans.size(), request.top));
  whole.top = request.top;
  result.inputs = shared;
  result.document = toDocument(inputs, whole, found);
  layOut(session, request, profile, std::move(options), std::move(graph),
         result);
  return result;
}

} // namespace

ProgramPlan planProgram(Session &session, const PlanningRequest &request,
                        const std::shared_ptr<const Cluster> &cluster,
                        const lower::TargetTraits *target) {
  requirePrices(request, *cluster);
  StackProfile profile = profileOf(request, *cluster);
  PlanOptions options = layoutOptions(request);
  bool meshGiven = namesMesh(request.fix);
  if (meshGiven)
    options.fix = parseMesh(request.fix);
  SearchConstraints constraints =
      meshGiven ? constraintsOf(options.fix, request.forbid)
                : shardsmith::constraintsOf(request);
  LossGraph graph(session, request.model);
  if (target)
    requireLowering(*graph.makePlainTrainStep(session, request.train), *target);
  if (!graph.workload || graph.hasMesh())
    return planWithoutStrategy(session, request, *cluster, profile, options,
                               std::move(graph));
  return planWithStrategy(session, request, cluster, profile, options,
                          std::move(constraints), std::move(graph));
}

ProgramPlan completePlan(Session &session, const PlanningRequest &request,
                         PlanDocument document,
                         const lower::TargetTraits &target) {
  if (isWorkloadFile(request.model.path))
    fail(ExitCode::Unsupported,
         fmt::format("{}: a description of a model has no ops to build a "
                     "program of; plan the model's graph",
                     request.model.path));
  auto cluster = std::make_shared<const Cluster>(clusterOf(request));
  StackProfile profile = profileOf(request, *cluster);
  ModelOptions model = request.model;
  model.plannedHash = document.model.identity.hash;
  LossGraph graph(session, model);
  if (!graph.workload)
    fail(ExitCode::BadInput,
         fmt::format("{}: the model is no chain of blocks that count samples, "
                     "for which the plan was made; plan it again",
                     model.path));
  // Of a description plans are made with one body for equal layers: the same
  // blocks, but another graph.
  std::string plannedHash =
      isModelDescription(model.path)
          ? loadModelOf(session, model, Layers::Written).workload->modelHash
          : graph.workload->modelHash;
  std::string different =
      differentInputs(document, plannedHash, cluster->hash(), hashOf(profile));
  if (!different.empty())
    fail(ExitCode::BadInput, different + "; plan it again");
  ProgramPlan result;
  result.inputs = std::make_shared<const PlanningInputs>(
      std::make_shared<const workload::Workload>(*graph.workload), cluster,
      profile, request.memoryMargin);
  std::string problem = bindLayouts(*graph.workload, document);
  // Programs are made of every layer's ops, and so is what they are plans of.
  document.model.identity.hash = graph.workload->modelHash;
  if (problem.empty())
    problem =
        verifyPlacement(result.inputs->context().topology, document.strategy);
  if (!problem.empty())
    fail(ExitCode::BadInput, problem);
  std::string obstacle =
      document.strategy.tensor > 1
          ? programObstacle(shardsmith::constraintsOf(request))
          : "";
  if (!obstacle.empty())
    fail(ExitCode::Unsupported,
         fmt::format("no program can be built of this plan: {}", obstacle));
  requireWholeMicroBatches(document.strategy, document.model.globalBatch);
  requireLowering(*graph.makePlainTrainStep(session, request.train), target);
  result.document = std::move(document);
  layOut(session, request, profile, layoutOptions(request), std::move(graph),
         result);
  return result;
}

} // namespace shardsmith
