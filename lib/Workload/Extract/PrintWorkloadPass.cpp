// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Workload/ExtractWorkload.h"
#include "shardsmith/Workload/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_PRINTWORKLOAD
#include "shardsmith/Workload/Passes.h.inc"

namespace {

struct PrintWorkload : impl::PrintWorkloadBase<PrintWorkload> {
  void runOnOperation() override {
    smith::eraseCustomDerivatives(getOperation());
    llvm::Expected<workload::Workload> extracted =
        extractWorkload(getOperation());
    if (extracted) {
      llvm::outs() << workload::toJson(*extracted);
      return;
    }
    llvm::handleAllErrors(extracted.takeError(), [](const ExtractError &error) {
      emitError(error.getLocation()) << error.getReason();
    });
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
