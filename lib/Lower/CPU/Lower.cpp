// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CPU/Lower.h"

#include "Kernels/ScatterEmitter.h"
#include "shardsmith/Lower/CPU/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Reports the first op that is left without a lowering.
LogicalResult refuseUnsupported(func::FuncOp function) {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
      std::string reason = cpu::whyNotScatter(scatter);
      if (reason.empty())
        continue;
      return op.emitError() << "unsupported on CPU: " << reason;
    }
    if (isa<smith::KernelOp, smith::GemmOp, stablehlo::ConstantOp,
            stablehlo::ReshapeOp, smith::AllReduceOp, smith::AllGatherOp,
            smith::ReduceScatterOp, smith::ExchangeBlocksOp,
            smith::CollectivePermuteOp, smith::ShardIndexOp>(op))
      continue;
    return op.emitError() << "unsupported on CPU: '" << op.getName()
                          << "' with these types has no lowering";
  }
  return success();
}

} // namespace

LoweringResult lowerToCpu(ModuleOp local) {
  LoweringResult result;
  auto function = local.lookupSymbol<func::FuncOp>("main");
  if (!function || function.getBody().getBlocks().size() != 1) {
    local.emitError("needs a function @main of one block");
    result.code = ExitCode::BadInput;
    return result;
  }
  PassManager passes(local.getContext());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createSimplifyLocal());
  // Equal subexpressions would be stored, or computed, twice.
  functions.addPass(createCSEPass());
  functions.addPass(createLowerDots());
  functions.addPass(createFormKernels());
  if (failed(passes.run(local))) {
    result.code = ExitCode::Internal;
    return result;
  }
  if (failed(refuseUnsupported(function))) {
    result.code = ExitCode::Unsupported;
    return result;
  }
  FailureOr<ProgramLayout> layout = cpu::planBuffers(function);
  if (failed(layout)) {
    result.code = ExitCode::BadInput;
    return result;
  }
  result.layout = *layout;
  return result;
}

} // namespace shardsmith
