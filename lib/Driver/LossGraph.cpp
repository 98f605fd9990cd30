// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/LossGraph.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Train/ExpertRows.h"
#include "shardsmith/Train/StackedParameters.h"
#include "shardsmith/Transforms/SplitLoops.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include <fmt/format.h>

namespace shardsmith {
namespace {

/// Whether some argument counts samples, so that ranks may share them out.
bool countsSamples(mlir::func::FuncOp function) {
  return llvm::any_of(function.getArguments(), [&](mlir::BlockArgument each) {
    unsigned index = each.getArgNumber();
    auto role = function.getArgAttrOfType<mlir::StringAttr>(
        index, smith::kRoleAttributeName);
    auto dim = function.getArgAttrOfType<mlir::IntegerAttr>(
        index, smith::kBatchDimAttributeName);
    return role && role.getValue() == "batch" && (!dim || dim.getInt() >= 0);
  });
}

void noteOpenLayouts(llvm::Error error) {
  std::string reason;
  takeError(std::move(error), reason);
  fmt::print(stderr,
             "note: layouts are searched anew on the mesh of the plan: {}\n",
             reason);
}

void noteOrderOfPositions(const std::string &obstacle) {
  if (!obstacle.empty())
    fmt::print(stderr,
               "note: positions stay in the order of the sequence: {}\n",
               obstacle);
}

/// Where the experts of a strategy are on the mesh of its train step.
ExpertRanks expertRanksOf(const Strategy *strategy, const TrainOptions &train) {
  ExpertRanks ranks;
  ranks.exchange = train.expertExchange;
  ranks.capacityFactor = train.expertCapacity;
  if (!strategy)
    return ranks;
  ranks.count = strategy->expert;
  for (const FixedAxis &axis : trainingMesh(*strategy)) {
    if (axis.name == "expert" || axis.name == "expert_context")
      ranks.axes.push_back(axis.name);
    if (axis.name != "tensor" && axis.name != "pipeline")
      ranks.tokenAxes.push_back(axis.name);
  }
  ranks.hasWholeSamples = strategy->context == 1;
  return ranks;
}

} // namespace

LossGraph::LossGraph(Session &session, const ModelOptions &model)
    : module(importForward(session, model)) {
  if (!isTrainStep(*module) && countsSamples(mainOf(*module)))
    readWorkload();
}

void LossGraph::readWorkload() {
  copies.clear();
  map = workload::GraphMap();
  workload.reset();
  plain = mlir::cast<mlir::ModuleOp>((*module)->clone(copies));
  smith::eraseCustomDerivatives(*plain);
  llvm::Expected<workload::Workload> extracted = extractWorkload(*plain, &map);
  if (extracted)
    workload = std::move(*extracted);
  else
    llvm::consumeError(extracted.takeError());
}

void LossGraph::splitLoops(const Strategy &strategy) {
  mlir::Block &block = mainOf(*module).front();
  smith::LoopNest nest(mainOf(*plain).front());
  // Per unit of the chain its stage, and how it is computed again.
  std::vector<std::pair<size_t, Recompute>> decisions;
  for (auto [number, stage] : llvm::enumerate(strategy.stages))
    for (Recompute choice : stage.recompute)
      decisions.push_back({number, choice});
  bool isSplit = false;
  size_t first = 0;
  for (const workload::GraphUnit &unit : map.units) {
    auto own = llvm::ArrayRef(decisions).slice(first, size_t(unit.count));
    first += size_t(unit.count);
    if (unit.call || llvm::all_equal(own))
      continue;
    int64_t loop = nest.loopsOf(map.bodies[unit.body].ops.front().op).front();
    while (!llvm::all_equal(own)) {
      size_t same = 1;
      while (own[same] == own.front())
        ++same;
      loop = splitLoop(block, loop, int64_t(same));
      own = own.drop_front(same);
      isSplit = true;
    }
  }
  if (isSplit)
    readWorkload();
}

bool LossGraph::hasMesh() const {
  return !(*module).getOps<sdy::MeshOp>().empty();
}

bool LossGraph::hasLoops() const {
  return smith::hasLoops(mainOf(*module).front());
}

bool LossGraph::canSpreadExperts() const {
  return followsAllExpertRows(*module);
}

mlir::OwningOpRef<mlir::ModuleOp>
LossGraph::makePlainTrainStep(Session &session,
                              const TrainOptions &train) const {
  mlir::ModuleOp graph = *module;
  return LossGraph(mlir::OwningOpRef<mlir::ModuleOp>(graph.clone()))
      .intoTrainStep(session, train);
}

mlir::OwningOpRef<mlir::ModuleOp>
LossGraph::intoTrainStep(Session &session, const TrainOptions &train,
                         const Strategy *strategy) {
  if (strategy && hasLoops())
    splitLoops(*strategy);
  if (strategy)
    if (llvm::Error error = annotateForTraining(*module, *plain, copies, map,
                                                *workload, *strategy))
      noteOpenLayouts(std::move(error));
  splitStackedParameters(*module);
  if (mlir::failed(unsortExpertRows(*module, expertRanksOf(strategy, train))))
    throw Stop{ExitCode::Unsupported};
  // What a context axis exchanges is priced in the model's own types.
  bool isExchanged = train.computeType != ComputeType::AsWritten && strategy &&
                     strategy->context > 1;
  if (!isTrainStep(*module) && !isExchanged)
    recognizeAttention(*module, train.leastAttentionScores);
  if (workload && workload->positionObstacle.empty())
    noteOrderOfPositions(dealPositions(*module));
  makeTrainStep(session, *module, train);
  if (strategy && strategy->zeroStage == 2)
    mainOf(*module)->setAttr(smith::kSplitSumsAttributeName,
                             mlir::UnitAttr::get(module->getContext()));
  return std::move(module);
}

} // namespace shardsmith
