// SPDX-License-Identifier: Apache-2.0
//
// A library may multiply two of a type only. Both operands are converted to a
// type that holds what either of them and the result can hold, and the result
// is converted to its own:
//
//     bf16 · f32 → f32     convert, f32 · f32 → f32
//     f32 · f32 → bf16     f32 · f32 → f32, convert
//     f8 · f8 → f32        convert both, bf16 · bf16 → f32

#include "WidenProducts.h"
#include "TargetPattern.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

struct WidenProduct : TargetPattern<stablehlo::DotGeneralOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::DotGeneralOp dot,
                                PatternRewriter &rewriter) const override {
    std::optional<WiderProduct> wide = widerProductOf(dot, target);
    if (!wide)
      return failure();
    auto converted = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getElementType() == wide->operands)
        return value;
      return stablehlo::ConvertOp::create(rewriter, dot.getLoc(),
                                          type.clone(wide->operands), value);
    };
    RankedTensorType type = dot.getType();
    Value lhs = converted(dot.getLhs()), rhs = converted(dot.getRhs());
    auto product = cast<stablehlo::DotGeneralOp>(rewriter.clone(*dot));
    product.getLhsMutable().assign(lhs);
    product.getRhsMutable().assign(rhs);
    product.getResult().setType(type.clone(wide->result));
    if (type.getElementType() == wide->result)
      rewriter.replaceOp(dot, product.getResult());
    else
      rewriter.replaceOpWithNewOp<stablehlo::ConvertOp>(dot, type,
                                                        product.getResult());
    return success();
  }
};

} // namespace

void populateProductPatterns(RewritePatternSet &patterns,
                             const TargetTraits &target) {
  patterns.add<WidenProduct>(patterns.getContext(), target);
}

} // namespace shardsmith::lower
