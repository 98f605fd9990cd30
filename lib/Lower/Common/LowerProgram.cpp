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

/// Reports the first op that is left without a lowering.
LogicalResult refuseUnsupported(func::FuncOp function,
                                const TargetTraits &target) {
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
  if (!function || function.getBody().getBlocks().size() != 1) {
    local.emitError("needs a function @main of one block");
    result.code = ExitCode::BadInput;
    return result;
  }
  registerTarget(target);
  std::string name = target.name.str();
  PassManager passes(local.getContext());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createSimplifyLocal({name}));
  // Equal subexpressions would be stored, or computed, twice.
  functions.addPass(createCSEPass());
  // They have kept that from joining what is computed again with the original.
  functions.addPass(createDropBarriers());
  functions.addPass(createLowerDots({name}));
  functions.addPass(createFormKernels({name}));
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
  FailureOr<ProgramLayout> layout = planBuffers(function, target);
  if (failed(layout)) {
    result.code = ExitCode::BadInput;
    return result;
  }
  result.layout = *layout;
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
