// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Import/Pipeline.h"
#include "FailureKind.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardsmith {
namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> params{*this, "params",
                             llvm::cl::desc("Arguments that are parameters")};
  Option<std::string> states{
      *this, "states", llvm::cl::desc("Arguments that are optimizer state")};
  Option<std::string> batch{
      *this, "batch", llvm::cl::desc("Arguments that are data of one step")};
  Option<std::string> constants{*this, "constants",
                                llvm::cl::desc("Arguments that never change")};
  Option<int64_t> loss{*this, "loss",
                       llvm::cl::desc("The result that is the loss"),
                       llvm::cl::init(-1)};
  Option<int64_t> keepLoopsAbove{
      *this, "keep-loops-above",
      llvm::cl::desc("Counted loops of more ops than this stay loops, and all "
                     "that are not counted; 0: none"),
      llvm::cl::init(mostUnrolledOps)};
  Option<bool> noteCalls{
      *this, "note-calls",
      llvm::cl::desc("Note on inlined ops which call they come from")};
};

} // namespace

void buildImportPipeline(OpPassManager &passes, const ImportOptions &options) {
  // Names of functions tell derivatives, as long as there are functions.
  passes.addPass(createImportDerivatives());
  // Everything below looks at one function, and at derivatives by themselves.
  passes.addPass(createInlineCalls({.noteCalls = options.noteCalls}));

  // Pins of all kinds are in one language from here on.
  passes.addPass(createImportSdyOps({.goOn = true}));
  passes.addPass(createImportMeshes());
  passes.addPass(createImportShardingConstraints({.goOn = true}));
  passes.addPass(createSimplifyMeshes());
  passes.addPass(createMergeMeshes({.goOn = true}));

  // Roles are checked early: a wrong role is better reported on the signature
  // the user knows than after its consequences.
  passes.addPass(createAssignRoles({.params = options.params,
                                    .states = options.states,
                                    .batch = options.batch,
                                    .constants = options.constants,
                                    .loss = options.loss}));

  OpPassManager &main = passes.nest<func::FuncOp>();
  main.addPass(createImportLibraryCalls({.goOn = true}));
  main.addPass(createRemoveMarkers({.goOn = true}));
  // What ops that other passes know compute.
  main.addPass(createExpandBatchNorm());
  main.addPass(createExpandDots());
  main.addPass(createExpandBitcasts());
  main.addPass(createExpandRandomBits({.goOn = true}));
  // Loop bounds become constants, then loops disappear, then the indices that
  // depended on their counters become constants.
  main.addPass(createSimplifyGraph());
  UnrollCountedLoopsOptions unrolling;
  unrolling.goOn = true;
  unrolling.keepAbove = options.keepLoopsAbove;
  main.addPass(createUnrollCountedLoops(unrolling));
  main.addPass(createMarkLoops({.goOn = true}));
  main.addPass(createSimplifyGraph());
  passes.addPass(createExpandManualComputations({.goOn = true}));
  OpPassManager &whole = passes.nest<func::FuncOp>();
  // Branches of manual computations that all devices take.
  whole.addPass(createMarkLoops({.goOn = true}));
  whole.addPass(createExpandComplex({.goOn = true}));
  // Layers recompute the same masks and positions.
  whole.addPass(createCSEPass());

  // Derivatives of what is no longer there.
  passes.addPass(createSymbolDCEPass());

  passes.addPass(createCheckForwardGraph());
  // Last: the hash is that of the finished graph.
  passes.addPass(createStampModelHash());
}

void registerImportPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "import", "From a model file to the forward graph or train step",
      [](OpPassManager &passes, const PipelineOptions &options) {
        buildImportPipeline(passes, {.params = options.params,
                                     .states = options.states,
                                     .batch = options.batch,
                                     .constants = options.constants,
                                     .loss = options.loss,
                                     .keepLoopsAbove = options.keepLoopsAbove,
                                     .noteCalls = options.noteCalls});
      });
}

LogicalResult runImportPipeline(ModuleOp module, const ImportOptions &options,
                                ExitCode &exitCode) {
  MLIRContext &context = *module.getContext();
  PassManager passes(&context);
  buildImportPipeline(passes, options);
  FailureKind kind(context);
  if (succeeded(passes.run(module)))
    return success();
  exitCode = kind.exitCode();
  return failure();
}

OwningOpRef<ModuleOp> importModel(StringRef path, MLIRContext &context,
                                  const ImportOptions &options,
                                  ExitCode &exitCode) {
  OwningOpRef<ModuleOp> module = loadModel(path, context, exitCode);
  if (!module || failed(runImportPipeline(*module, options, exitCode)))
    return nullptr;
  return module;
}

} // namespace shardsmith
