// SPDX-License-Identifier: Apache-2.0

#include "ExpandWindows.h"

#include "TensorBody.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Lower/Common/Target.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_LOWERWINDOWS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace {

struct LowerWindows : impl::LowerWindowsBase<LowerWindows> {
  using LowerWindowsBase::LowerWindowsBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp>(op) &&
          canExpand(op, *traits))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      if (auto reduce = dyn_cast<stablehlo::ReduceWindowOp>(op))
        reduce->replaceAllUsesWith(lower::expandReduceWindow(builder, reduce));
      else
        op->replaceAllUsesWith(ValueRange(lower::expandSelectAndScatter(
            builder, cast<stablehlo::SelectAndScatterOp>(op))));
      op->erase();
    }
  }

private:
  /// What is left is refused later, with a reason.
  static bool canExpand(Operation *op, const lower::TargetTraits &target) {
    auto isSupported = [&](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
             target.isElement(tensor.getElementType());
    };
    return llvm::all_of(op->getOperandTypes(), isSupported) &&
           llvm::all_of(op->getResultTypes(), isSupported) &&
           llvm::none_of(op->getRegions(), [](Region &body) {
             return lower::findNotElementwise(body) != nullptr;
           });
  }
};

} // namespace
} // namespace shardsmith
