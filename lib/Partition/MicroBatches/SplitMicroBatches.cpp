// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/Passes.h"

#include "MicroBatchSplitter.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SPLITMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

/// Of one data rank. With as many on every rank their sum is still a number.
constexpr int64_t mostMicroBatches = int64_t(1) << 31;

struct SplitMicroBatchesPass
    : impl::SplitMicroBatchesBase<SplitMicroBatchesPass> {
  using SplitMicroBatchesBase::SplitMicroBatchesBase;

  /// Emits an error if there is a loop; true if so. Which rows of a slot count
  /// is not followed through what goes around a loop.
  static bool refuseLoop(func::FuncOp function) {
    for (Operation &op : function.front())
      if (smith::getMarkedLoop(&op)) {
        op.emitError() << "no uneven shares: the step has a loop of "
                       << op.getAttrOfType<IntegerAttr>("count").getInt()
                       << " iterations; give every data rank as many "
                          "micro-batches";
        return true;
      }
    return false;
  }

  /// Builds the body of the step of one micro-batch, again as long as more is
  /// found of what goes around its loops. Only the last diagnostics count.
  LogicalResult build(func::FuncOp function, const MicroBatchShares &all,
                      Block *&body) {
    CarriedLayouts carried;
    while (true) {
      body = new Block;
      function.getBody().push_back(body);
      SmallVector<Diagnostic> said;
      LogicalResult result = success();
      bool isDone = false;
      {
        ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &each) {
          said.push_back(std::move(each));
        });
        MicroBatchSplitter splitter(function, all, body, carried);
        result = splitter.run();
        isDone = !splitter.hasFoundMore();
      }
      if (isDone) {
        for (Diagnostic &each : said)
          getContext().getDiagEngine().emit(std::move(each));
        return result;
      }
      body->dropAllReferences();
      body->erase();
    }
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
    if (int64_t most = *llvm::max_element(all.all()); most > mostMicroBatches) {
      function.emitError() << most << " micro-batches; at most "
                           << mostMicroBatches << " are split";
      return signalPassFailure();
    }
    if (all.slots() == 1 && !foldOne)
      return;
    if (!all.areEven() && refuseLoop(function))
      return signalPassFailure();
    Block *body = nullptr;
    LogicalResult result = build(function, all, body);
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
