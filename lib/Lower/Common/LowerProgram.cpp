// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/LowerProgram.h"

#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Support/ErrorList.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_LOWERPROGRAM
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

/// Reports the first op that is on planned buffers already: fusing it once
/// more would change a program whose memory is laid out.
LogicalResult refuseLowered(ModuleOp local) {
  WalkResult result = local.walk([](Operation *op) {
    if (!op->hasAttr(offsetsAttributeName))
      return WalkResult::advance();
    op->emitError("the program is lowered already: this op has its place in "
                  "memory; lower-program starts from the program of "
                  "partitioning");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Reports all ops that are left without a lowering.
LogicalResult refuseUnsupported(ModuleOp local, const TargetTraits &target) {
  ErrorList errors;
  for (auto function : local.getOps<func::FuncOp>()) {
    if (!function.getBody().hasOneBlock())
      continue;
    for (Operation &op : function.getBody().front().without_terminator())
      if (std::string reason = target.whyNotLowered(&op); !reason.empty())
        errors.add(op.getLoc(), "unsupported on " + target.displayName.str() +
                                    ": " + reason);
  }
  errors.emit();
  return success(errors.empty());
}

/// What processors start with: @main, or the functions of ranks. Empty, after
/// an error, if there is neither.
SmallVector<func::FuncOp> entriesOf(ModuleOp local) {
  auto function = local.lookupSymbol<func::FuncOp>("main");
  SmallVector<func::FuncOp> entries;
  if (function && function.isExternal())
    entries = rankFunctions(function);
  else if (function && function.getBody().hasOneBlock())
    entries.push_back(function);
  if (entries.empty())
    local.emitError("needs a function @main of one block");
  return entries;
}

} // namespace

ExitCode lowerToKernels(ModuleOp local, const TargetTraits &target) {
  if (entriesOf(local).empty() || failed(refuseLowered(local)))
    return ExitCode::BadInput;
  registerTarget(target);
  std::string name = target.name.str();
  PassManager passes(local.getContext());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createLowerWindows({name}));
  functions.addPass(createSimplifyLocal({name}));
  // Equal subexpressions would be stored, or computed, twice.
  functions.addPass(createCSEPass());
  // They have kept that from joining what is computed again with the original.
  functions.addPass(createDropBarriers());
  functions.addPass(createLowerDots({name}));
  functions.addPass(createFormKernels({name}));
  functions.addPass(createRecomputeInKernels({name}));
  functions.addPass(createCollapseKernels());
  functions.addPass(createBucketCollectives({name}));
  functions.addPass(createOverlapCollectives({name}));
  functions.addPass(createFindEpilogues({name}));
  // What is a part of a product already is no launch.
  functions.addPass(createJoinLaunches({name}));
  if (failed(passes.run(local)))
    return ExitCode::Internal;
  return failed(refuseUnsupported(local, target)) ? ExitCode::Unsupported
                                                  : ExitCode::Success;
}

LoweringResult lowerProgram(ModuleOp local, const TargetTraits &target) {
  LoweringResult result;
  result.code = lowerToKernels(local, target);
  if (result.code != ExitCode::Success)
    return result;
  for (func::FuncOp entry : entriesOf(local)) {
    FailureOr<ProgramLayout> layout = planBuffers(entry, target);
    if (failed(layout)) {
      result.code = ExitCode::BadInput;
      return result;
    }
    result.arenas.push_back(layout->arena);
    if (layout->arena > result.layout.arena)
      result.layout = *layout;
  }
  return result;
}

} // namespace lower

namespace {

struct LowerProgram : impl::LowerProgramBase<LowerProgram> {
  using LowerProgramBase::LowerProgramBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits ||
        lower::lowerProgram(getOperation(), *traits).code != ExitCode::Success)
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
