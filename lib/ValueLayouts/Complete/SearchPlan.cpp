// SPDX-License-Identifier: Apache-2.0
//
// For every candidate mesh: state the problem, solve it, keep the cheapest.
// A mesh whose lower bound reaches the best cost so far is dropped by the
// solver itself, and that bound becomes part of the answer.

#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"

#include "Estimate.h"
#include "Meshes.h"
#include "StepProblem.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Support/Gibibytes.h"

#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <cmath>
#include <map>

using namespace mlir;

namespace shardsmith {
namespace plan {
namespace {

constexpr const char *toolVersion = "0.1.0";

std::string_view proofName(SolutionKind proof) {
  switch (proof) {
  case SolutionKind::Exact:
    return "exact";
  case SolutionKind::Bounded:
    return "bounded";
  case SolutionKind::Infeasible:
    return "excluded";
  case SolutionKind::Unknown:
    return "unknown";
  }
  return "unknown";
}

/// 12.3 GiB
std::string gibibytes(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f GiB", gibOf(bytes));
  return text;
}

/// The bytes that every assignment needs at some moment.
Bytes leastPeak(const PlanProblem &problem) {
  PlanProblem least;
  for (const PlanNode &node : problem.nodes) {
    PlanNode &copy = least.nodes.emplace_back();
    copy.costs = {0};
    for (const MemoryPiece &piece : node.memory) {
      auto smallest = std::make_shared<std::vector<int64_t>>(
          1, *std::min_element(piece.bytes->begin(), piece.bytes->end()));
      copy.memory.push_back({piece.begin, piece.end, smallest});
    }
  }
  return Bytes(
      least.peakBytes(std::vector<StrategyIndex>(least.nodes.size(), 0)));
}

class PlanSearch {
public:
  PlanSearch(func::FuncOp function, const Cluster &cluster,
             const StackProfile &profile, const PlanOptions &options)
      : function(function), cluster(cluster), topology(cluster),
        profile(profile), options(options) {}

  llvm::Expected<StepPlan> run() {
    start = std::chrono::steady_clock::now();
    effortLeft = options.effort;
    FailureOr<StepGraph> built = buildStepGraph(function);
    if (failed(built))
      return makeError(ExitCode::BadInput, "the train step is malformed");
    graph = std::move(*built);
    FailureOr<Pins> found = findPins(graph);
    if (failed(found))
      return makeError(ExitCode::BadInput,
                       "the shardings of the file contradict each other");
    pins = std::move(*found);
    if (llvm::Error error = checkBatchDivides(graph, pins, options.fix))
      return std::move(error);
    auto meshes = findMeshes(cluster, pins, options);
    if (!meshes)
      return meshes.takeError();
    ties = tieNodes(graph);

    for (size_t index = 0; index < meshes->size(); ++index)
      if (llvm::Error error = tryMesh((*meshes)[index], meshes->size() - index))
        return std::move(error);
    if (!best)
      return nothingFits();
    return finish();
  }

private:
  double secondsLeft() const {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    return std::max(options.timeLimitSeconds - spent.count(), 0.0);
  }

  /// The problem that was stated last for a mesh, and its solution. Unless that
  /// has no choice, it decides all axes of the mesh.
  struct Solved {
    StepProblem problem;
    PlanSolution solution;
  };

  /// The solver gets one part in `shares` of the effort and the time that are
  /// left.
  SolverOptions solverOptions(double shares) const {
    SolverOptions solver;
    solver.timeLimitSeconds = secondsLeft() / shares;
    solver.mustStop = options.mustStop;
    solver.effort = int64_t(double(effortLeft) / shares);
    return solver;
  }

  /// Two axes are placed together; of more, each after those before it, on
  /// what is split by them already. Stops where some axis finds no place.
  llvm::Expected<Solved> solveMesh(const MeshCandidate &candidate,
                                   const MeshTimes &costs, size_t meshesLeft) {
    AxisRules rules(candidate.mesh, candidate.roles);
    unsigned axisCount = candidate.mesh.getAxisCount();
    unsigned atOnce = axisCount <= 2 ? std::max(axisCount, 1u) : 1;
    std::vector<Placed> placed = placeNothing(graph);
    for (MeshAxis begin = 0;; begin += atOnce) {
      MeshAxis end = std::min<MeshAxis>(begin + atOnce, axisCount);
      bool isLast = end == axisCount;
      Pins own = pins.before(end);
      AxisRules ownRules = rules.before(end);
      auto built = buildStepProblem({graph,
                                     ties,
                                     own,
                                     ownRules,
                                     costs,
                                     {begin, end, /*bothOrders=*/!pins.empty()},
                                     placed});
      if (!built)
        return built.takeError();
      Solved solved{std::move(*built), {}};
      auto groupsLeft = (axisCount - begin) / atOnce;
      SolverOptions solver =
          solverOptions(std::max(double(meshesLeft) * double(groupsLeft), 1.0));
      if (isLast) {
        // Before that, further axes may split what does not fit yet.
        solved.problem.problem.memoryLimit = limit.count();
        if (best)
          solver.costLimit = best->search.cost;
      }
      solved.solution = solve(solved.problem.problem, solver);
      effortLeft -= solved.solution.effort;
      if (isLast || !solved.solution.hasChoice())
        return solved;
      placed = placedBy(graph, solved.problem, solved.solution.choice);
    }
  }

  llvm::Error tryMesh(const MeshCandidate &candidate, size_t meshesLeft) {
    MeshTimes costs(topology, profile, candidate.mesh);
    limit = costs.memoryLimit(options.memoryMargin);
    // A rank has its own stages alone; the problem has all of them.
    if (std::optional<MeshAxis> stages =
            candidate.mesh.find(smith::kPipelineAxisName))
      limit = limit * candidate.mesh.getSize(*stages);
    llvm::Expected<Solved> solved = solveMesh(candidate, costs, meshesLeft);
    if (!solved)
      return solved.takeError();
    const PlanSolution &solution = solved->solution;

    TriedMesh tried;
    for (MeshAxis axis = 0; axis < candidate.mesh.getAxisCount(); ++axis)
      tried.axes.push_back(
          {candidate.mesh.getName(axis).str(), candidate.mesh.getSize(axis)});
    tried.proof = proofName(solution.proof);
    if (solution.cost < forbiddenCost)
      tried.cost = solution.cost;
    tried.lowerBound = solution.lowerBound;
    meshes.push_back(tried);
    if (solution.proof == SolutionKind::Unknown)
      ranOutOfTime = true;
    if (solution.hasChoice()) {
      best = makePlan(candidate, solved->problem, costs, solution);
      // Free axes have got their names.
      meshes.back().axes = best->mesh;
    } else {
      leastNeeded = std::min(leastNeeded, leastPeak(solved->problem.problem));
    }
    return llvm::Error::success();
  }

  /// Names for free axes, by what the solution does with them.
  Mesh nameAxes(const MeshCandidate &candidate, const StepProblem &problem,
                ArrayRef<StrategyIndex> choice) const {
    if (candidate.isNamed)
      return candidate.mesh;
    SmallVector<Mesh::Axis> axes;
    for (MeshAxis axis = 0; axis < candidate.mesh.getAxisCount(); ++axis) {
      bool splitsBatch = false;
      Bytes parameters, split;
      for (unsigned node = 0; node < graph.argumentCount(); ++node) {
        const StepArgument &argument = graph.arguments[node];
        unsigned decision = problem.decisionOfNode[node];
        const Layout &layout =
            problem.pool[problem.strategies[decision][choice[decision]]
                             .results[0]];
        RankedTensorType type = graph.values[graph.nodes[node].results[0]].type;
        if (argument.role == "batch" && argument.batchDim >= 0 &&
            argument.batchDim < type.getRank())
          splitsBatch |=
              llvm::is_contained(layout.dims[argument.batchDim], axis);
        if (argument.role != "param")
          continue;
        Bytes bytes = getTensorBytes(type.getShape(),
                                     getElementBytes(type.getElementType()));
        parameters += bytes;
        if (layout.uses(axis))
          split += bytes;
      }
      bool isFullySharded = split * 2 > parameters;
      std::string name =
          !splitsBatch ? "tensor" : (isFullySharded ? "fsdp" : "data");
      for (const Mesh::Axis &other : axes)
        if (other.name == name)
          name += "_2";
      axes.push_back({name, candidate.mesh.getSize(axis)});
    }
    return Mesh(axes);
  }

  StepPlan makePlan(const MeshCandidate &candidate, const StepProblem &problem,
                    const MeshTimes &costs, const PlanSolution &solution) {
    Mesh mesh = nameAxes(candidate, problem, solution.choice);
    StepPlan plan;
    auto module = function->getParentOfType<ModuleOp>();
    if (module && module.getSymName())
      plan.model.name = module.getSymName()->str();
    plan.stepHash = hashTrainStep(function);
    plan.microBatches = smith::getMicroBatchCount(function);
    StringAttr modelHash;
    if (module)
      modelHash =
          module->getAttrOfType<StringAttr>(smith::kModelHashAttributeName);
    plan.model.hash = modelHash ? modelHash.str() : plan.stepHash;
    plan.cluster = {cluster.name, cluster.hash()};
    plan.profile = {profile.name, hashOf(profile)};
    plan.toolVersion = toolVersion;
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
      plan.mesh.push_back({mesh.getName(axis).str(), mesh.getSize(axis)});
    addTensors(plan, mesh, problem, solution.choice);
    addChoices(plan, mesh, problem, solution.choice);
    LayoutEstimate estimated = estimate(
        graph, problem, MeshTimes(topology, profile, mesh), solution.choice);
    plan.predicted = std::move(estimated.prediction);
    plan.search.cost = solution.cost;
    plan.search.compute = estimated.compute;
    plan.search.communication = estimated.communication;
    plan.search.ops = int64_t(graph.nodes.size()) - graph.argumentCount();
    plan.search.decisions = ties.classCount;
    return plan;
  }

  void addTensors(StepPlan &plan, const Mesh &mesh, const StepProblem &problem,
                  ArrayRef<StrategyIndex> choice) const {
    for (unsigned node = 0; node < graph.argumentCount(); ++node) {
      unsigned value = graph.nodes[node].results[0];
      RankedTensorType type = graph.values[value].type;
      PlannedTensor tensor;
      tensor.name = graph.arguments[node].name;
      tensor.role = graph.arguments[node].role;
      llvm::raw_string_ostream(tensor.dtype) << type.getElementType();
      tensor.shape.assign(type.getShape().begin(), type.getShape().end());
      const Layout &layout =
          problem.pool[problem.producedLayout(graph, value, choice)];
      for (const AxisList &dim : layout.dims) {
        auto &names = tensor.axes.emplace_back();
        for (MeshAxis axis : dim)
          names.push_back(mesh.getName(axis).str());
      }
      plan.arguments.push_back(std::move(tensor));
    }
  }

  void addChoices(StepPlan &plan, const Mesh &mesh, const StepProblem &problem,
                  ArrayRef<StrategyIndex> choice) {
    std::map<OpChoice, int64_t> known;
    std::vector<int64_t> ofDecision(problem.strategies.size(), -1);
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node) {
      unsigned decision = problem.decisionOfNode[node];
      int64_t &position = ofDecision[decision];
      if (position < 0) {
        OpChoice opChoice = choiceOf(node, mesh, problem, choice);
        auto [entry, isNew] = known.try_emplace(opChoice, plan.choices.size());
        if (isNew)
          plan.choices.push_back(std::move(opChoice));
        position = entry->second;
      }
      plan.opChoices.push_back(position);
    }
  }

  OpChoice choiceOf(unsigned node, const Mesh &mesh, const StepProblem &problem,
                    ArrayRef<StrategyIndex> choice) {
    MLIRContext *context = function.getContext();
    unsigned decision = problem.decisionOfNode[node];
    OpChoice result;
    llvm::raw_string_ostream(result.factorAxes) << toAttribute(
        context, mesh, problem.strategies[decision][choice[decision]].axes);
    bool isResharded = false;
    for (unsigned value : graph.nodes[node].results) {
      unsigned produced = problem.producedLayout(graph, value, choice);
      unsigned handed = problem.handedLayout(
          graph, value, problem.handouts[value].front(), choice);
      std::string &text = result.results.emplace_back();
      if (produced == handed)
        continue;
      isResharded = true;
      llvm::raw_string_ostream(text) << toAttribute(
          context, NamedMesh{mesh, planMeshName}, problem.pool[handed]);
    }
    if (!isResharded)
      result.results.clear();
    return result;
  }

  /// Fills in what only the whole search knows.
  llvm::Expected<StepPlan> finish() {
    StepPlan plan = std::move(*best);
    LayoutSearchRecord &search = plan.search;
    search.lowerBound = search.cost;
    for (const TriedMesh &mesh : meshes)
      search.lowerBound = std::min(search.lowerBound, mesh.lowerBound);
    search.proof = search.lowerBound == search.cost ? "exact" : "bounded";
    if (search.lowerBound < search.cost)
      search.gap = double(search.cost - search.lowerBound) /
                   double(std::max<int64_t>(search.lowerBound, 1));
    search.meshes = meshes;
    return plan;
  }

  llvm::Error nothingFits() {
    if (ranOutOfTime)
      return makeError(ExitCode::TimeLimit,
                       "the time limit was reached before a plan that "
                       "fits was found; allow more time");
    int64_t devices = topology.deviceCount();
    if (!topology.path(1, devices).isConnected())
      return makeError(ExitCode::NothingFits,
                       "no plan fits: nothing connects all devices of the "
                       "cluster; add an interconnect between its groups, or "
                       "exclude those that are apart");
    Bytes missing = leastNeeded - limit;
    std::string message = "no plan fits: every one needs more than the " +
                          gibibytes(limit) + " that each of the " +
                          std::to_string(devices) + " devices offers";
    if (missing > Bytes(0)) {
      double ratio = double(leastNeeded.count()) /
                     double(std::max<int64_t>(limit.count(), 1));
      message = "no plan fits: a device needs at least " +
                gibibytes(leastNeeded) + " but offers " + gibibytes(limit) +
                ", " + gibibytes(missing) + " short; use about " +
                std::to_string(int64_t(std::ceil(double(devices) * ratio))) +
                " devices, devices with " + gibibytes(missing) +
                " more memory, or a smaller batch";
    } else {
      message += "; use more devices, devices with more memory, or a smaller "
                 "batch";
    }
    return makeError(ExitCode::NothingFits, message);
  }

  func::FuncOp function;
  const Cluster &cluster;
  ClusterTopology topology;
  const StackProfile &profile;
  const PlanOptions &options;
  std::chrono::steady_clock::time_point start;
  StepGraph graph;
  Pins pins;
  Ties ties;
  Bytes limit;
  Bytes leastNeeded = Bytes::saturated();
  bool ranOutOfTime = false;
  int64_t effortLeft = 0;
  std::vector<TriedMesh> meshes;
  std::optional<StepPlan> best;
};

} // namespace
} // namespace plan

llvm::Expected<StepPlan> searchPlan(func::FuncOp trainStep,
                                    const Cluster &cluster,
                                    const StackProfile &profile,
                                    const PlanOptions &options) {
  return plan::PlanSearch(trainStep, cluster, profile, options).run();
}

} // namespace shardsmith
