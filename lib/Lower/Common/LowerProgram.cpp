// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/LowerProgram.h"

#include "shardsmith/Lower/Common/Passes.h"

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

/// Reports the first op that is left without a lowering.
LogicalResult refuseUnsupported(func::FuncOp function,
                                const TargetTraits &target) {
  if (function.isExternal())
    return success();
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::string reason = target.whyNotLowered(&op);
    if (!reason.empty())
      return op.emitError()
             << "unsupported on " << target.displayName << ": " << reason;
  }
  return success();
}

} // namespace

LoweringResult lowerProgram(ModuleOp local, const TargetTraits &target) {
  LoweringResult result;
  auto function = local.lookupSymbol<func::FuncOp>("main");
  SmallVector<func::FuncOp> entries;
  if (function && function.isExternal())
    entries = rankFunctions(function);
  else if (function && function.getBody().hasOneBlock())
    entries.push_back(function);
  if (entries.empty()) {
    local.emitError("needs a function @main of one block");
    result.code = ExitCode::BadInput;
    return result;
  }
  if (failed(refuseLowered(local))) {
    result.code = ExitCode::BadInput;
    return result;
  }
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
  functions.addPass(createBucketCollectives({name}));
  functions.addPass(createOverlapCollectives({name}));
  if (failed(passes.run(local))) {
    result.code = ExitCode::Internal;
    return result;
  }
  for (auto each : local.getOps<func::FuncOp>())
    if (each.getBody().hasOneBlock() &&
        failed(refuseUnsupported(each, target))) {
      result.code = ExitCode::Unsupported;
      return result;
    }
  for (func::FuncOp entry : entries) {
    FailureOr<ProgramLayout> layout = planBuffers(entry, target);
    if (failed(layout)) {
      result.code = ExitCode::BadInput;
      return result;
    }
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
