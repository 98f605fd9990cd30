// SPDX-License-Identifier: Apache-2.0
//
// Custom calls that have a meaning here:
//
//   @Sharding                 the identity
//   @check.expect_eq          every element equal (NaN to NaN, 0 to -0)
//   @check.expect_close       at most 3 values of the element type in between
//   @check.expect_almost_eq   at most 0.001 apart
//
// The checks are StableHLO's own, with its defaults: attributes
// `max_ulp_difference` and `tolerance` replace the bounds.

#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/Comparison.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

std::optional<Tolerance> toleranceOf(stablehlo::CustomCallOp op) {
  auto ulps = op->getAttrOfType<mlir::IntegerAttr>("max_ulp_difference");
  auto absolute = op->getAttrOfType<mlir::FloatAttr>("tolerance");
  Tolerance close, almost;
  close.ulps = ulps ? ulps.getInt() : 3;
  almost.absolute = absolute ? absolute.getValueAsDouble() : 1e-3;
  return StringSwitch<std::optional<Tolerance>>(op.getCallTargetName())
      .Cases({"check.eq", "check.expect_eq"}, Tolerance())
      .Case("check.expect_close", close)
      .Case("check.expect_almost_eq", almost)
      .Default(std::nullopt);
}

LogicalResult runCheck(stablehlo::CustomCallOp op, Arguments operands,
                       const Tolerance &tolerance, Machine &machine) {
  if (operands.size() != 2 || op->getNumResults() != 0)
    return op.emitOpError()
           << "a check compares two tensors, but this has " << operands.size()
           << " operands and " << op->getNumResults() << " results";
  const ComparisonReport report =
      compareTensors(operands[0], operands[1], tolerance);
  machine.recordCheck(report.holds());
  if (!report.holds())
    op.emitError() << "check failed: " << report.str();
  return success();
}

LogicalResult evaluateCustomCall(stablehlo::CustomCallOp op, Arguments operands,
                                 const Device &device, Tensors &results) {
  if (std::optional<Tolerance> tolerance = toleranceOf(op))
    return runCheck(op, operands, *tolerance, device.machine);
  const StringRef target = op.getCallTargetName();
  if (target == "Sharding" && operands.size() == 1) {
    results.push_back(operands[0]);
    return success();
  }
  return device.unsupported(op, "custom call @" + target + " is not known");
}

} // namespace

void registerCustomCalls(EvaluatorRegistry &registry) {
  registry.add(evaluateCustomCall);
}

} // namespace shardsmith::inline interpreter
