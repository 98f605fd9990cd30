// SPDX-License-Identifier: Apache-2.0
//
// The largest k of each line, with their positions, are the first k of a stable
// sort of (value, position). NaN is above infinity:
//
//     a comes before b  =  a > b  or  (a is NaN and b is not)

#include "ExpandTopK.h"
#include "TargetPattern.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

using stablehlo::ComparisonDirection;

struct ExpandTopK : TargetPattern<chlo::TopKOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(chlo::TopKOp op,
                                PatternRewriter &rewriter) const override {
    if (target.hasTopK(op))
      return failure();
    Location location = op.getLoc();
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    auto indexType = cast<RankedTensorType>(op.getIndices().getType())
                         .clone(type.getShape());
    int64_t last = type.getRank() - 1;
    Value positions =
        stablehlo::IotaOp::create(rewriter, location, indexType, last);
    auto sort = stablehlo::SortOp::create(
        rewriter, location, TypeRange{type, indexType},
        ValueRange{op.getOperand(), positions},
        rewriter.getI64IntegerAttr(last), rewriter.getBoolAttr(true));
    buildComparator(rewriter, sort, type.getElementType(),
                    indexType.getElementType());
    SmallVector<Value> first;
    for (auto [all, kept] :
         llvm::zip_equal(sort.getResults(), op.getResults())) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(kept.getType()).getShape();
      SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
      first.push_back(stablehlo::SliceOp::create(rewriter, location, all,
                                                 starts, shape, strides));
    }
    rewriter.replaceOp(op, first);
    return success();
  }

  static void buildComparator(PatternRewriter &rewriter, stablehlo::SortOp sort,
                              Type value, Type position) {
    OpBuilder::InsertionGuard guard(rewriter);
    Location location = sort.getLoc();
    auto scalar = RankedTensorType::get({}, value);
    auto index = RankedTensorType::get({}, position);
    Block *body = rewriter.createBlock(&sort.getComparator(), {},
                                       {scalar, scalar, index, index},
                                       SmallVector<Location>(4, location));
    Value a = body->getArgument(0), b = body->getArgument(1);
    auto compare = [&](Value left, Value right,
                       ComparisonDirection direction) -> Value {
      return stablehlo::CompareOp::create(rewriter, location, left, right,
                                          direction);
    };
    Value isBefore = compare(a, b, ComparisonDirection::GT);
    if (isa<FloatType>(value)) {
      Value onlyA = stablehlo::AndOp::create(
          rewriter, location, compare(a, a, ComparisonDirection::NE),
          compare(b, b, ComparisonDirection::EQ));
      isBefore = stablehlo::OrOp::create(rewriter, location, isBefore, onlyA);
    }
    stablehlo::ReturnOp::create(rewriter, location, isBefore);
  }
};

} // namespace

void populateTopKPatterns(RewritePatternSet &patterns,
                          const TargetTraits &target) {
  patterns.add<ExpandTopK>(patterns.getContext(), target);
}

} // namespace shardsmith::lower
