// SPDX-License-Identifier: Apache-2.0

#include "ProgramPlan.h"

#include "Planner.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Plan/PlanFile.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith {
namespace {

/// Whether --fix speaks of mesh axes only: `data=2,tensor=2`.
bool namesMesh(const std::string &fix) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(fix).split(parts, ',', -1, /*KeepEmpty=*/false);
  return !parts.empty() && llvm::all_of(parts, [](llvm::StringRef part) {
    return roleOfAxis(part.trim().split('=').first) != AxisRole::Free;
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

/// The mesh of a strategy, major axis first.
std::vector<FixedAxis> meshOf(const Strategy &strategy) {
  std::vector<FixedAxis> mesh;
  if (strategy.data > 1)
    mesh.push_back({strategy.zeroStage == 3 ? "fsdp" : "data", strategy.data});
  if (strategy.tensor > 1)
    mesh.push_back({"tensor", strategy.tensor});
  return mesh;
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
  return constraints;
}

/// Leaves what one program for all ranks can do, if anything.
void restrictToPrograms(SearchConstraints &constraints, int64_t devices) {
  auto narrow = [](DegreeRange &range, int64_t degree) {
    range = {std::max(range.least, degree), std::min(range.most, degree)};
  };
  narrow(constraints.pipeline, 1);
  narrow(constraints.virtualStages, 1);
  narrow(constraints.context, 1);
  narrow(constraints.expert, 1);
  constraints.devices = {devices, devices};
  constraints.zero[1] = constraints.zero[2] = false;
  constraints.recompute = {true, false, false};
}

/// The fastest of the plans found whose data ranks have equal shares.
bool bringEvenPlanForward(SearchResult &result, int64_t globalBatch) {
  auto isEven = [&](const RankedPlan &plan) {
    return globalBatch % plan.strategy.data == 0;
  };
  auto even = std::ranges::find_if(result.plans, isEven);
  if (even == result.plans.end())
    return false;
  result.plans.erase(result.plans.begin(), even);
  return true;
}

/// One plan per combination of degrees, so that one with equal shares is
/// among them.
constexpr size_t kPlansToConsider = 100;

} // namespace

std::string ProgramPlan::fileText() const {
  if (!document)
    return planToJson(plan);
  PlanDocument whole = *document;
  whole.program = planToJson(plan);
  return toJson(whole);
}

bool isBuildable(const PlanningRequest &request, const Cluster &cluster) {
  return !isModelDescription(request.model.path) &&
         !isWorkloadFile(request.model.path) && cluster.hasOnlyProcessors();
}

ProgramPlan planProgram(Session &session, const PlanningRequest &request,
                        const TrainOptions &train,
                        const std::shared_ptr<const Cluster> &cluster) {
  requirePrices(request, *cluster);
  StackProfile profile = profileOf(request, *cluster);
  ProgramPlan result;
  PlanOptions options = layoutOptions(request);
  bool meshGiven = namesMesh(request.fix);
  if (meshGiven)
    options.fix = parseMesh(request.fix);
  result.step = importForward(session, request.model);

  mlir::OwningOpRef<mlir::ModuleOp> forward = result.step->clone();
  smith::eraseCustomDerivatives(*forward);
  llvm::Expected<workload::Workload> workload = extractWorkload(*forward);
  bool isChain = bool(workload) && !isTrainStep(*result.step);
  if (!workload)
    llvm::consumeError(workload.takeError());
  bool hasMesh = !result.step->getOps<sdy::MeshOp>().empty();
  makeTrainStep(session, *result.step, train);
  if (!isChain || hasMesh) {
    if (!request.fix.empty() && !meshGiven)
      options.fix = parseMesh(request.fix);
    result.plan = findPlan(*result.step, *cluster, profile, options);
    return result;
  }

  workload->microBatchObstacle = "programs run a step in one piece";
  PlanningRequest whole = request;
  whole.top = kPlansToConsider;
  whole.profile = profile.name;
  PlanningInputs inputs(
      std::make_shared<const workload::Workload>(std::move(*workload)), cluster,
      profile, request.memoryMargin);
  SearchConstraints constraints = meshGiven
                                      ? constraintsOf(options.fix)
                                      : shardsmith::constraintsOf(request);
  restrictToPrograms(constraints, inputs.topology().deviceCount());
  // A mesh that makes no sense is refused with the reason by the layout search.
  if (meshGiven)
    result.plan = findPlan(*result.step, *cluster, profile, options);
  SearchResult found = runSearch(inputs, constraints, whole);
  bool isFound = bringEvenPlanForward(found, inputs.workload().globalBatch);
  if (!isFound && meshGiven)
    return result;
  if (found.plans.empty())
    failWithoutPlan(found, *cluster);
  if (!isFound)
    fail(ExitCode::BadInput,
         fmt::format("no split of {} sequences over {} devices gives "
                     "equal shares",
                     inputs.workload().globalBatch,
                     inputs.topology().deviceCount()));
  found.plans.resize(std::min(found.plans.size(), request.top));
  whole.top = request.top;
  result.document = toDocument(inputs, whole, found);
  if (!meshGiven) {
    options.fix = meshOf(result.document->strategy);
    result.plan = findPlan(*result.step, *cluster, profile, options);
  }
  return result;
}

} // namespace shardsmith
