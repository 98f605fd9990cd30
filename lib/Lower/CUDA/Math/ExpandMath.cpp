// SPDX-License-Identifier: Apache-2.0

#include "Power.h"

#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/Common/Elements/Transcendentals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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

/// True if the device has instructions for it.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CtPopOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp>(op);
}

struct ExpandDeviceMath : impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.erf", "math.expm1", "math.log1p",
                                 "math.tanh", "math.cbrt", "math.atan2",
                                 "math.atan"},
                                name);
    });
    // What the approximations are made of, and what was left to the target.
    patterns.add<Expand<math::CosOp, lower::emitCosine>,
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
