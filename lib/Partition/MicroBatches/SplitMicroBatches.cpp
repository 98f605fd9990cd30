// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/Passes.h"

#include "MicroBatchSplitter.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SPLITMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

struct SplitMicroBatchesPass
    : impl::SplitMicroBatchesBase<SplitMicroBatchesPass> {
  using SplitMicroBatchesBase::SplitMicroBatchesBase;

  /// Builds the body of the step of one micro-batch, again as long as more is
  /// found of what goes around its loops. Only the last diagnostics count.
  LogicalResult build(func::FuncOp function, Block *&body) {
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
        MicroBatchSplitter splitter(function, count, body, carried);
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
    if (count < 1) {
      function.emitError() << count.getValue()
                           << " micro-batches; at least 1 is needed";
      return signalPassFailure();
    }
    if (count == 1 && !foldOne)
      return;
    Block *body = nullptr;
    LogicalResult result = build(function, body);
    Block &obsolete = failed(result) ? *body : function.front();
    obsolete.dropAllReferences();
    obsolete.erase();
    if (failed(result))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
