// SPDX-License-Identifier: Apache-2.0

#include "Unsupported.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_REMOVEMARKERS
#include "shardsmith/Import/Passes.h.inc"

namespace {

enum class CallKind {
  /// Returns its operands: advice on memory or layout.
  Identity,
  /// Returns nothing: a check of shapes at run time.
  Check,
  Unknown,
};

CallKind kindOf(StringRef target) {
  return llvm::StringSwitch<CallKind>(target)
      .Cases({"annotate_device_placement", "LayoutConstraint", "MoveToDevice",
              "MoveToHost", "PinToDevice"},
             CallKind::Identity)
      .Case("shape_assertion", CallKind::Check)
      .Default(CallKind::Unknown);
}

/// What nothing is known about is added to `unsupported`.
void remove(stablehlo::CustomCallOp call, ErrorList &unsupported) {
  switch (kindOf(call.getCallTargetName())) {
  case CallKind::Check:
    call.erase();
    return;
  case CallKind::Identity:
    if (call->getOperandTypes() != call->getResultTypes())
      break;
    call->replaceAllUsesWith(call->getOperands());
    call.erase();
    return;
  case CallKind::Unknown:
    break;
  }
  StringRef target = call.getCallTargetName();
  bool isOfXla = target.starts_with("xla.sdy.");
  unsupported.add(call.getLoc(),
                  "unsupported custom call '@" + target.str() + "': " +
                      (isOfXla ? "this is what XLA makes of sdy for itself; "
                                 "read 01.before_propagation.mlir of its dump "
                                 "instead"
                               : "nothing is known about what it computes"));
  replaceByZeros(call);
}

struct RemoveMarkers : impl::RemoveMarkersBase<RemoveMarkers> {
  using RemoveMarkersBase::RemoveMarkersBase;

  void runOnOperation() override {
    getOperation().walk([](stablehlo::OptimizationBarrierOp barrier) {
      barrier->replaceAllUsesWith(barrier->getOperands());
      barrier.erase();
    });
    ErrorList unsupported;
    getOperation().walk(
        [&](stablehlo::CustomCallOp call) { remove(call, unsupported); });
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
