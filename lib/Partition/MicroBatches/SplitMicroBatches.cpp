// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/Passes.h"

#include "MicroBatchSplitter.h"

#include "shardsmith/Dialect/Smith/LoopOps.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SPLITMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

struct SplitMicroBatchesPass
    : impl::SplitMicroBatchesBase<SplitMicroBatchesPass> {
  using SplitMicroBatchesBase::SplitMicroBatchesBase;

  /// Emits an error if there is a loop; true if so.
  static bool refuseLoop(func::FuncOp function) {
    for (Operation &op : function.front())
      if (smith::getMarkedLoop(&op)) {
        op.emitError() << "no micro-batches: the step has a loop of "
                       << op.getAttrOfType<IntegerAttr>("count").getInt()
                       << " iterations; use one micro-batch per step";
        return true;
      }
    return false;
  }

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!function || !function.getBody().hasOneBlock()) {
      getOperation().emitError("needs a function @main of one block");
      return signalPassFailure();
    }
    MicroBatchShares all =
        shares.empty() ? MicroBatchShares(count)
                       : MicroBatchShares(SmallVector<int64_t>(shares.begin(),
                                                               shares.end()));
    if (int64_t least = *llvm::min_element(all.all()); least < 1) {
      function.emitError() << least << " micro-batches; at least 1 is needed";
      return signalPassFailure();
    }
    if (all.slots() == 1 && !foldOne)
      return;
    if (refuseLoop(function))
      return signalPassFailure();
    auto *body = new Block;
    function.getBody().push_back(body);
    LogicalResult result = MicroBatchSplitter(function, all, body).run();
    Block &obsolete = failed(result) ? *body : function.front();
    obsolete.dropAllReferences();
    obsolete.erase();
    if (failed(result))
      return signalPassFailure();
    if (!all.areEven())
      function->setAttr(
          smith::kSharesAttributeName,
          DenseI64ArrayAttr::get(function.getContext(), all.all()));
  }
};

} // namespace
} // namespace shardsmith
