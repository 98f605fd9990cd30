// SPDX-License-Identifier: Apache-2.0

#include "Gamma.h"
#include "Hyperbolic.h"
#include "Power.h"
#include "Remainder.h"

#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/Common/Elements/Registers.h"
#include "shardsmith/Lower/Common/Elements/Transcendentals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "shardsmith/Lower/CUDA/Passes.h.inc"

namespace {

/// Replaces a function of f32 by what `emit` writes.
template <typename MathOp, auto emit> struct Expand : OpRewritePattern<MathOp> {
  using OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    if constexpr (MathOp::template hasTrait<OpTrait::OneOperand>())
      rewriter.replaceOp(op, emit(builder, op->getOperand(0)));
    else
      rewriter.replaceOp(op,
                         emit(builder, op->getOperand(0), op->getOperand(1)));
    return success();
  }
};

Value emitTangent(ImplicitLocOpBuilder &builder, Value x) {
  return arith::DivFOp::create(builder, lower::emitSine(builder, x),
                               lower::emitCosine(builder, x));
}

// The angle of (x, y), from the arc tangent of the smaller by the larger:
//
//     |y| ≤ |x|:  a = atan(|y| / |x|)      else:  a = π/2 − atan(|x| / |y|)
//     left of the axis: π − a;  below it: −a
//
// The quotient is 0 where both are zero and 1 where both are infinite, and the
// signs of zeros count, as in C.
Value emitAngle(ImplicitLocOpBuilder &b, Value y, Value x) {
  using Predicate = arith::CmpFPredicate;
  constexpr double pi = 3.14159265358979323846;
  auto number = [&](double value) { return lower::numberLike(b, x, value); };
  auto is = [&](Predicate predicate, Value l, Value r) -> Value {
    return arith::CmpFOp::create(b, predicate, l, r);
  };
  auto choose = [&](Value condition, Value l, Value r) -> Value {
    return arith::SelectOp::create(b, condition, l, r);
  };
  Value width = math::AbsFOp::create(b, x), height = math::AbsFOp::create(b, y);
  Value isSteep = is(Predicate::OGT, height, width);
  Value smaller = choose(isSteep, width, height);
  Value larger = choose(isSteep, height, width);
  Value quotient = arith::DivFOp::create(b, smaller, larger);
  Value infinity = number(std::numeric_limits<double>::infinity());
  quotient = choose(is(Predicate::OEQ, smaller, infinity), number(1), quotient);
  quotient = choose(is(Predicate::OEQ, larger, number(0)), number(0), quotient);
  Value angle = math::AtanOp::create(b, quotient);
  angle =
      choose(isSteep, arith::SubFOp::create(b, number(pi / 2), angle), angle);
  Value isLeft =
      is(Predicate::OLT, math::CopySignOp::create(b, number(1), x), number(0));
  angle = choose(isLeft, arith::SubFOp::create(b, number(pi), angle), angle);
  angle = math::CopySignOp::create(b, angle, y);
  Value anyNaN = is(Predicate::UNO, x, y);
  return choose(anyNaN, number(std::numeric_limits<double>::quiet_NaN()),
                angle);
}

/// MLIR's approximation of the cube root makes NaN of infinities, which are
/// their own cube roots.
void keepInfiniteCubeRoots(gpu::GPUModuleOp kernels) {
  kernels.walk([](Operation *op) {
    if (op->getName().getStringRef() != "math.cbrt")
      return;
    OpBuilder unbound(op->getContext());
    unbound.setInsertionPointAfter(op);
    ImplicitLocOpBuilder builder(op->getLoc(), unbound);
    Value x = op->getOperand(0), root = op->getResult(0);
    Value isInfinite = arith::CmpFOp::create(
        builder, arith::CmpFPredicate::OEQ, math::AbsFOp::create(builder, x),
        lower::numberLike(builder, x, std::numeric_limits<double>::infinity()));
    auto kept = arith::SelectOp::create(builder, isInfinite, x, root);
    root.replaceAllUsesExcept(kept, kept);
  });
}

/// Replaces calls of the processors' runtime by what they compute.
void expandRuntimeCalls(gpu::GPUModuleOp kernels) {
  SmallVector<LLVM::CallOp> calls;
  kernels.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls) {
    StringRef name = call.getCallee().value_or("");
    ImplicitLocOpBuilder builder(call.getLoc(), call);
    if (name == "smith_log_gamma")
      call.getResult().replaceAllUsesWith(
          cuda::emitLogGamma(builder, call->getOperand(0)));
    else if (name == "smith_digamma")
      call.getResult().replaceAllUsesWith(
          cuda::emitDigamma(builder, call->getOperand(0)));
    else
      continue;
    call.erase();
  }
  for (auto function :
       llvm::make_early_inc_range(kernels.getOps<LLVM::LLVMFuncOp>()))
    if (function.isExternal() &&
        SymbolTable::symbolKnownUseEmpty(function, kernels))
      function.erase();
}

/// True if the device has instructions for it.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CtPopOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp>(op);
}

struct ExpandDeviceMath : impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    keepInfiniteCubeRoots(getOperation());
    expandRuntimeCalls(getOperation());
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.erf", "math.expm1", "math.log1p",
                                 "math.tanh", "math.cbrt", "math.atan"},
                                name);
    });
    // What the approximations are made of, and what was left to the target.
    populatePolynomialApproximateErfcPattern(patterns);
    patterns.add<Expand<arith::RemFOp, cuda::emitRemainder>,
                 Expand<math::AcosOp, cuda::emitArcCosine>,
                 Expand<math::AcoshOp, cuda::emitInverseHyperbolicCosine>,
                 Expand<math::AsinOp, cuda::emitArcSine>,
                 Expand<math::AsinhOp, cuda::emitInverseHyperbolicSine>,
                 Expand<math::AtanhOp, cuda::emitInverseHyperbolicTangent>,
                 Expand<math::Atan2Op, emitAngle>,
                 Expand<math::CoshOp, cuda::emitHyperbolicCosine>,
                 Expand<math::SinhOp, cuda::emitHyperbolicSine>,
                 Expand<math::CosOp, lower::emitCosine>,
                 Expand<math::ExpOp, lower::emitExponential>,
                 Expand<math::LogOp, lower::emitLogarithm>,
                 Expand<math::PowFOp, cuda::emitPower>,
                 Expand<math::SinOp, lower::emitSine>,
                 Expand<math::TanOp, emitTangent>>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    getOperation().walk([&](Operation *op) {
      bool isCall = isa<math::MathDialect>(op->getDialect())
                        ? !isInstruction(op)
                        : isa<arith::RemFOp>(op);
      if (!isCall)
        return;
      op->emitError() << "'" << op->getName() << "' of "
                      << getElementTypeOrSelf(op->getResult(0).getType())
                      << " has no code for devices";
      signalPassFailure();
    });
  }
};

} // namespace
} // namespace shardsmith
