// SPDX-License-Identifier: Apache-2.0
//
// A library may reduce integers of some widths only. Sums and products of
// wider integers are the same modulo the narrower ones, and the largest and
// smallest are the same:
//
//     all_reduce of i16     convert to i32, all_reduce, convert to i16

#include "WidenReductions.h"
#include "TargetPattern.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

template <typename Reduction> struct WidenReduction : TargetPattern<Reduction> {
  using TargetPattern<Reduction>::TargetPattern;

  LogicalResult matchAndRewrite(Reduction op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getInput().getType());
    Type wide = this->target.reducedAs(operand.getElementType());
    if (wide == operand.getElementType())
      return failure();
    Location location = op.getLoc();
    auto result = cast<RankedTensorType>(op.getResult().getType());
    Value input = stablehlo::ConvertOp::create(
        rewriter, location, operand.clone(wide), op.getInput());
    auto reduced = cast<Reduction>(rewriter.clone(*op));
    reduced.getInputMutable().assign(input);
    reduced.getResult().setType(result.clone(wide));
    rewriter.replaceOpWithNewOp<stablehlo::ConvertOp>(op, result,
                                                      reduced.getResult());
    return success();
  }
};

} // namespace

void populateReductionPatterns(RewritePatternSet &patterns,
                               const TargetTraits &target) {
  patterns.add<WidenReduction<smith::AllReduceOp>,
               WidenReduction<smith::ReduceScatterOp>>(patterns.getContext(),
                                                       target);
}

} // namespace shardsmith::lower
