// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/Stages.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Driver/LoweringCheck.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Lower/CPU/Lower.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Partition/CollectiveTraffic.h"
#include "shardsmith/Partition/Passes.h"
#include "shardsmith/Support/RuntimeFiles.h"
#include "shardsmith/Support/TemporaryPath.h"
#include "shardsmith/Train/Passes.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {
namespace {

/// Dumps the IR after the passes that end a stage of partitioning.
class PartitionDumps : public PassInstrumentation {
public:
  explicit PartitionDumps(Session &session) : session(session) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    int number = llvm::StringSwitch<int>(pass->getArgument())
                     .Case("insert-reshards", 3)
                     .Case("canonicalize-collectives", 4)
                     .Default(0);
    auto module = dyn_cast<ModuleOp>(op);
    if (number == 0)
      return;
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    session.dump(module, number, number == 3 ? "resharded" : "collectives");
  }

private:
  Session &session;
};

} // namespace

std::string inFolder(const std::string &path, const char *file) {
  return (std::filesystem::path(path) / file).string();
}

void requireWritableFolder(const std::string &path) {
  if (!path.empty())
    requireWritable(inFolder(path, folder::kPlan));
}

func::FuncOp mainOf(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function)
    fail(ExitCode::BadInput, "the module has no function @main");
  return function;
}

void makeTrainStep(Session &session, ModuleOp module,
                   const TrainOptions &options) {
  ExitCode code = ExitCode::BadInput;
  if (failed(buildTrainStep(module, options, &code)))
    throw Stop{code};
  PassManager passes(module->getContext());
  passes.addPass(createRecompute());
  if (failed(passes.run(module)))
    throw Stop{ExitCode::Internal};
  session.dump(module, 1, "train-step");
}

OwningOpRef<ModuleOp> inMicroBatches(ModuleOp trainStep, int64_t count,
                                     llvm::ArrayRef<int64_t> shares,
                                     bool isPipeline) {
  OwningOpRef<ModuleOp> copy = trainStep.clone();
  PassManager passes(copy->getContext());
  SplitMicroBatchesOptions options;
  options.count = count;
  options.shares.assign(shares.begin(), shares.end());
  options.foldOne = isPipeline;
  passes.addPass(createSplitMicroBatches(options));
  if (failed(passes.run(*copy)))
    throw Stop{ExitCode::Unsupported};
  return copy;
}

OwningOpRef<ModuleOp> referenceOf(ModuleOp trainStep, const StepPlan &plan) {
  bool isPerMicroBatch =
      mainOf(trainStep)->hasAttr(smith::kPerMicroBatchAttributeName);
  bool isSplit = isPerMicroBatch && plan.microBatches > 1;
  OwningOpRef<ModuleOp> reference =
      isSplit ? inMicroBatches(trainStep, plan.microBatches, plan.shares,
                               /*isPipeline=*/false)
              : OwningOpRef<ModuleOp>(trainStep.clone());
  PassManager passes(reference->getContext());
  if (isSplit)
    passes.addPass(createOutlineMicroBatches());
  passes.addPass(createOutlineLoops());
  if (failed(passes.run(*reference)))
    throw Stop{ExitCode::Internal};
  return reference;
}

StepPlan findPlan(ModuleOp trainStep, const StepSchedule &schedule,
                  const Cluster &cluster, const StackProfile &profile,
                  const PlanOptions &options) {
  OwningOpRef<ModuleOp> step =
      inMicroBatches(trainStep, schedule.microBatches, schedule.shares,
                     !schedule.table.empty());
  llvm::Expected<StepPlan> plan =
      searchPlan(mainOf(*step), cluster, profile, options);
  if (!plan)
    fail(plan.takeError());
  plan->shares = schedule.shares;
  plan->schedule = schedule.table;
  return std::move(*plan);
}

OwningOpRef<ModuleOp> annotate(Session &session, ModuleOp trainStep,
                               const StepPlan &plan) {
  OwningOpRef<ModuleOp> annotated = inMicroBatches(
      trainStep, plan.microBatches, plan.shares, !plan.schedule.empty());
  if (!plan.schedule.empty())
    annotated->getOperation()->setAttr(
        smith::kScheduleAttributeName,
        StringAttr::get(annotated->getContext(), plan.schedule));
  if (llvm::Error error = applyPlan(*annotated, plan))
    fail(std::move(error));
  session.dump(*annotated, 2, "annotated");
  return annotated;
}

static OwningOpRef<ModuleOp> partition(Session &session, ModuleOp annotated,
                                       bool intoStages) {
  OwningOpRef<ModuleOp> local = annotated.clone();
  PassManager passes(local->getContext());
  if (intoStages)
    buildStagesPipeline(passes);
  else
    buildPartitionPipeline(passes);
  passes.addInstrumentation(std::make_unique<PartitionDumps>(session));
  if (failed(passes.run(*local)))
    throw Stop{ExitCode::BadInput};
  session.dump(*local, 5, "local");
  return local;
}

OwningOpRef<ModuleOp> partition(Session &session, ModuleOp annotated) {
  return partition(session, annotated, /*intoStages=*/false);
}

OwningOpRef<ModuleOp> partitionIntoStages(Session &session,
                                          ModuleOp annotated) {
  return partition(session, annotated,
                   annotated->hasAttr(smith::kScheduleAttributeName));
}

/// Whether ranks that run the same program may send different amounts: to
/// neighbours that not all have, or with micro-batches that not all have.
static bool mayRanksDiffer(ModuleOp local) {
  return local
      .walk([](Operation *op) {
        bool differs = isa<smith::CollectivePermuteOp>(op) ||
                       op->hasAttr(smith::kCountsAttributeName);
        return differs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What these ranks send in one run of the program, in the order of first
/// occurrence.
static std::vector<CollectiveTotal> totalsOf(func::FuncOp program,
                                             ArrayRef<int64_t> ranks) {
  std::vector<CollectiveTotal> totals;
  for (auto [place, rank] : llvm::enumerate(ranks))
    for (const CollectiveTraffic &each : collectTraffic(program, rank)) {
      std::string kind = stringifyCollectiveKind(each.kind).str();
      auto total = llvm::find_if(totals, [&](const CollectiveTotal &known) {
        return known.kind == kind && known.axes == each.axes;
      });
      if (total == totals.end())
        total = totals.insert(totals.end(),
                              {kind, each.axes, place == 0 ? each.calls : 0,
                               Bytes(), std::vector<Bytes>(ranks.size())});
      total->ofRanks[place] = each.bytes;
    }
  for (CollectiveTotal &total : totals) {
    total.bytes = total.ofRanks.front();
    if (llvm::all_equal(total.ofRanks))
      total.ofRanks.clear();
  }
  return totals;
}

std::vector<std::vector<CollectiveTotal>> trafficOf(ModuleOp local) {
  func::FuncOp main = mainOf(local);
  SmallVector<func::FuncOp> programs = {main};
  if (main.isExternal())
    programs = lower::rankFunctions(main);
  sdy::MeshAttr mesh = smith::getMesh(main);
  // Ranks of one coordinate follow each other as long as axes that are minor to
  // that of stages run.
  int64_t inRow = 1, count = mesh ? mesh.getDeviceCount() : 1;
  for (sdy::MeshAxisAttr axis :
       llvm::reverse(mesh ? mesh.getAxes() : ArrayRef<sdy::MeshAxisAttr>())) {
    if (axis.getName() == smith::kPipelineAxisName)
      break;
    inRow *= axis.getSize();
  }
  bool doDiffer = mayRanksDiffer(local);
  std::vector<std::vector<CollectiveTotal>> traffic;
  for (func::FuncOp program : programs) {
    SmallVector<int64_t> ranks;
    for (int64_t rank = 0; rank < count; ++rank)
      if (rank / inRow % int64_t(programs.size()) == int64_t(traffic.size()))
        ranks.push_back(rank);
    traffic.push_back(
        totalsOf(program, doDiffer ? ranks : ArrayRef(ranks).take_front()));
  }
  return traffic;
}

ExitCode tryLowering(Session &session, ModuleOp local, StepPlan &plan,
                     const lower::TargetTraits &target) {
  StepPrediction predicted = plan.predicted;
  predicted.source = "program";
  std::vector<std::vector<CollectiveTotal>> traffic = trafficOf(local);
  predicted.collectives = traffic.front();
  LoweringResult lowered = lower::lowerProgram(local, target);
  if (lowered.code != ExitCode::Success)
    return lowered.code;
  session.dump(local, 6, "kernels");
  predicted.parameters = lowered.layout.parameters;
  predicted.optimizerState = lowered.layout.states;
  predicted.batch = lowered.layout.batch;
  predicted.gradients = Bytes(0);
  predicted.activations = lowered.layout.temporaries;
  predicted.peak = lowered.layout.arena;
  predicted.pipelineRanks.clear();
  if (mainOf(local).isExternal())
    for (auto [ofRank, arena] : llvm::zip_equal(traffic, lowered.arenas))
      predicted.pipelineRanks.push_back({ofRank, arena});
  plan.predicted = std::move(predicted);
  return ExitCode::Success;
}

void lowerProgram(Session &session, ModuleOp local, StepPlan &plan,
                  const lower::TargetTraits &target) {
  ExitCode code = tryLowering(session, local, plan, target);
  if (code == ExitCode::Unsupported)
    notePlansWithoutProgram();
  require(code);
}

void buildProgram(Session &session, ModuleOp lowered, const StepPlan &plan,
                  const CodeOptions &code, const std::string &output) {
  std::string runtime = findRuntimeFile("libshardsmith_runtime.a");
  if (runtime.empty())
    fail(ExitCode::Environment,
         "libshardsmith_runtime.a is not beside this program; build the "
         "project or set SHARDSMITH_RUNTIME_DIR to the folder that has it");
  CpuProgramOptions options;
  options.modelName = plan.model.name;
  options.planHash = plan.hash();
  options.code = code;
  Bytes traffic;
  Bytes rows;
  for (const CollectiveTotal &total : plan.predicted.collectives) {
    traffic += total.bytes;
    if (total.kind == stringifyCollectiveKind(CollectiveKind::AllToAllRows))
      rows += total.bytes;
  }
  options.predictedRowBytes = rows.count();
  options.predictedCommunicationBytes = traffic.count();
  options.predictedStepNanoseconds = plan.predicted.step.count();

  options.dumpLlvm = session.dumpPath("07-lowered.ll");
  TemporaryPath object(output + ".o");
  require(emitObject(lowered, options, object.path()));
  // Where the tools were installed without the system's oneDNN they have one.
  std::string oneDnn = findRuntimeFile("libdnnl.so.2");
  std::string failure =
      linkProgram(object.path(), runtime,
                  {oneDnn.empty() ? std::string("dnnl") : oneDnn}, output);
  if (!failure.empty())
    fail(ExitCode::Environment, failure);
}

} // namespace shardsmith
