// SPDX-License-Identifier: Apache-2.0
//
// On CPUs JAX writes some ops as calls of LAPACK. Their options are letters, as
// in LAPACK's own interface:
//
//     custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 :
//     ui8}}
//         ─▶ cholesky %a, lower = true         76 is 'L'

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_IMPORTLIBRARYCALLS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The option `name` of a call: one of `letters`, or an error.
FailureOr<char> letterOf(stablehlo::CustomCallOp call, StringRef name,
                         StringRef letters) {
  auto options = call->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto value = options ? options.getAs<IntegerAttr>(name) : IntegerAttr();
  char letter =
      value ? static_cast<char>(value.getValue().getLimitedValue(255)) : 0;
  if (letter && letters.contains(letter))
    return letter;
  return call.emitError() << "'@" << call.getCallTargetName()
                          << "' needs an option '" << name
                          << "' in mhlo.backend_config, the number of one of "
                             "the letters "
                          << letters;
}

LogicalResult checkCounts(stablehlo::CustomCallOp call, unsigned operands,
                          unsigned results) {
  if (call.getNumOperands() == operands && call.getNumResults() == results)
    return success();
  return call.emitError() << "'@" << call.getCallTargetName() << "' takes "
                          << operands << " and gives " << results << " tensors";
}

/// The second result is zero for each matrix that was positive definite. The op
/// gives NaN for the others itself.
LogicalResult convertCholesky(stablehlo::CustomCallOp call) {
  if (failed(checkCounts(call, 1, 2)))
    return failure();
  FailureOr<char> triangle = letterOf(call, "uplo", "LU");
  if (failed(triangle))
    return failure();
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  Value factor = stablehlo::CholeskyOp::create(builder, call.getOperand(0),
                                               *triangle == 'L');
  auto info = cast<RankedTensorType>(call.getResultTypes()[1]);
  if (factor.getType() != call.getResultTypes()[0])
    return call.emitError() << "'@" << call.getCallTargetName()
                            << "' gives a matrix of the type that it takes";
  call->replaceAllUsesWith(
      ValueRange{factor, filled(builder, info, 0).value()});
  call.erase();
  return success();
}

LogicalResult convertTriangularSolve(stablehlo::CustomCallOp call) {
  if (failed(checkCounts(call, 2, 1)))
    return failure();
  FailureOr<char> side = letterOf(call, "side", "LR");
  FailureOr<char> triangle = letterOf(call, "uplo", "LU");
  FailureOr<char> transpose = letterOf(call, "trans_x", "NTC");
  FailureOr<char> diagonal = letterOf(call, "diag", "NU");
  if (failed(side) || failed(triangle) || failed(transpose) || failed(diagonal))
    return failure();
  using stablehlo::Transpose;
  OpBuilder builder(call);
  auto solve = stablehlo::TriangularSolveOp::create(
      builder, call.getLoc(), call.getOperand(0), call.getOperand(1),
      *side == 'L', *triangle == 'L', *diagonal == 'U',
      *transpose == 'N'   ? Transpose::NO_TRANSPOSE
      : *transpose == 'T' ? Transpose::TRANSPOSE
                          : Transpose::ADJOINT);
  call->replaceAllUsesWith(solve);
  call.erase();
  return success();
}

struct ImportLibraryCalls : impl::ImportLibraryCallsBase<ImportLibraryCalls> {
  void runOnOperation() override {
    bool anyFailed = false;
    getOperation().walk([&](stablehlo::CustomCallOp call) {
      StringRef target = call.getCallTargetName();
      if (target == "lapack_spotrf_ffi" || target == "lapack_dpotrf_ffi")
        anyFailed |= failed(convertCholesky(call));
      else if (target == "lapack_strsm_ffi" || target == "lapack_dtrsm_ffi")
        anyFailed |= failed(convertTriangularSolve(call));
    });
    if (anyFailed)
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
