// SPDX-License-Identifier: Apache-2.0
//
// On CPUs JAX writes some ops as calls of LAPACK. Their options are letters, as
// in LAPACK's own interface:
//
//     custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 :
//     ui8}}
//         ─▶ cholesky %a, lower = true         76 is 'L'
//
// Orthogonal factors take two calls: one packs the reflections below the
// triangle, the other one makes a matrix of them.

#include "Unsupported.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/TensorTypes.h"

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
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (call.getNumOperands() == operands && call.getNumResults() == results &&
      llvm::all_of(call->getOperandTypes(), isTensor) &&
      llvm::all_of(call->getResultTypes(), isTensor))
    return success();
  return call.emitError() << "'@" << call.getCallTargetName() << "' takes "
                          << operands << " and gives " << results
                          << " tensors of static shapes";
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

/// `matrices` with as many rows as `type` has, those added zero.
Value withRows(TensorValue matrices, RankedTensorType type) {
  SmallVector<int64_t> zeros(type.getRank(), 0), high(zeros);
  int64_t rows = type.getRank() - 2;
  high[rows] = type.getDimSize(rows) - matrices.shape()[rows];
  if (high[rows] == 0)
    return matrices;
  ImplicitLocOpBuilder &builder = matrices.builder();
  TensorValue zero = scalar(builder, type.getElementType(), 0);
  return stablehlo::PadOp::create(builder, type, matrices, zero, zeros, high,
                                  zeros);
}

/// Why `user` cannot be replaced, which uses the reflections that leave `q` of
/// a matrix of `type`; empty if it can.
std::string whyNotReplaced(Operation *user, RankedTensorType type,
                           TypedValue<RankedTensorType> q) {
  auto expand = dyn_cast<stablehlo::CustomCallOp>(user);
  if (!expand || !expand.getCallTargetName().ends_with("orgqr_ffi") ||
      expand.getNumResults() != 1)
    return "reflections of a matrix other than in the call that makes an "
           "orthogonal matrix of them";
  if (expand.getResult(0).getType() != q.getType())
    return "an orthogonal matrix of " + quoted(expand->getResult(0).getType()) +
           " from one of " + quoted(type) + "; expected " +
           quoted(q.getType()) + " (full_matrices=False)";
  return "";
}

/// Replaces a call and those that make a matrix of its reflections, which are
/// noted as `erased`.
LogicalResult convertQr(stablehlo::CustomCallOp call,
                        DenseSet<Operation *> &erased, ErrorList &unsupported) {
  if (failed(checkCounts(call, 1, 2)))
    return failure();
  RankedTensorType type = typeOf(call.getOperand(0));
  int64_t rank = type.getRank();
  if (rank < 2 || call.getResultTypes()[0] != type)
    return call.emitError() << "'@" << call.getCallTargetName()
                            << "' gives a matrix of the type that it takes";
  SmallVector<int64_t> ofQ(type.getShape()), ofR(type.getShape());
  ofQ[rank - 1] = ofR[rank - 2] = std::min(ofQ[rank - 2], ofR[rank - 1]);
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  auto qr = smith::QrOp::create(builder, type.clone(ofQ), type.clone(ofR),
                                call.getOperand(0));
  Value reflections = call.getResult(1);
  SetVector<Operation *> users(llvm::from_range, reflections.getUsers());
  for (Operation *user : users) {
    std::string reason = whyNotReplaced(user, type, qr.getQ());
    if (!reason.empty())
      unsupported.add(user->getLoc(), "unsupported: " + reason);
    if (!isa<stablehlo::CustomCallOp>(user))
      continue;
    erased.insert(user);
    if (!reason.empty()) {
      replaceByZeros(user);
      continue;
    }
    user->replaceAllUsesWith(ValueRange{qr.getQ()});
    user->erase();
  }
  if (!reflections.use_empty())
    reflections.replaceAllUsesWith(filled(builder, typeOf(reflections), 0));
  call.getResult(0).replaceAllUsesWith(
      withRows(TensorValue(builder, qr.getR()), type));
  call.erase();
  return success();
}

LogicalResult convertEigh(stablehlo::CustomCallOp call) {
  if (failed(checkCounts(call, 1, 3)))
    return failure();
  FailureOr<char> mode = letterOf(call, "mode", "V");
  FailureOr<char> triangle = letterOf(call, "uplo", "LU");
  if (failed(mode) || failed(triangle))
    return failure();
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  TensorValue matrix(builder, call.getOperand(0));
  if (*triangle == 'U') {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, matrix.rank()));
    std::swap(order[order.size() - 2], order.back());
    matrix = transpose(matrix, order);
  }
  auto eigh = smith::EighOp::create(builder, call.getResultTypes()[1],
                                    call.getResultTypes()[0], matrix);
  TensorValue noError = filled(builder, typeOf(call.getResult(2)), 0);
  call->replaceAllUsesWith(
      ValueRange{eigh.getVectors(), eigh.getValues(), noError});
  call.erase();
  return success();
}

/// LAPACK counts rows from one.
LogicalResult convertLu(stablehlo::CustomCallOp call) {
  if (failed(checkCounts(call, 1, 3)))
    return failure();
  RankedTensorType type = typeOf(call.getOperand(0));
  if (type.getRank() < 2)
    return call.emitError() << "'@" << call.getCallTargetName()
                            << "' takes matrices, got " << type;
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  RankedTensorType pivots = typeOf(call.getResult(1));
  auto rows = pivots.clone(type.getShape().drop_back());
  auto lu = smith::LuOp::create(builder, call.getResultTypes()[0], pivots, rows,
                                call.getOperand(0));
  TensorValue fromOne = TensorValue(builder, lu.getPivots()) + 1.0;
  TensorValue noError = filled(builder, typeOf(call.getResult(2)), 0);
  call->replaceAllUsesWith(ValueRange{lu.getFactors(), fromOne, noError});
  call.erase();
  return success();
}

struct ImportLibraryCalls : impl::ImportLibraryCallsBase<ImportLibraryCalls> {
  using ImportLibraryCallsBase::ImportLibraryCallsBase;

  void runOnOperation() override {
    bool anyFailed = false;
    ErrorList unsupported;
    std::vector<stablehlo::CustomCallOp> calls;
    getOperation().walk(
        [&](stablehlo::CustomCallOp call) { calls.push_back(call); });
    DenseSet<Operation *> erased;
    for (stablehlo::CustomCallOp call : calls)
      if (!erased.contains(call))
        anyFailed |= failed(convert(call, erased, unsupported));
    anyFailed |= failed(reportUnsupported(getOperation(), unsupported, goOn));
    if (anyFailed)
      signalPassFailure();
  }

private:
  /// Calls of other functions stay.
  static LogicalResult convert(stablehlo::CustomCallOp call,
                               DenseSet<Operation *> &erased,
                               ErrorList &unsupported) {
    StringRef target = call.getCallTargetName();
    if (!target.consume_back("_ffi") ||
        !(target.consume_front("lapack_s") || target.consume_front("lapack_d")))
      return success();
    if (target == "geqrf")
      return convertQr(call, erased, unsupported);
    if (target == "getrf")
      return convertLu(call);
    if (target == "potrf")
      return convertCholesky(call);
    if (target == "syevd")
      return convertEigh(call);
    if (target == "trsm")
      return convertTriangularSolve(call);
    return success();
  }
};

} // namespace
} // namespace shardsmith
