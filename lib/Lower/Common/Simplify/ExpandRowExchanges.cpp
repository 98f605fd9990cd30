// SPDX-License-Identifier: Apache-2.0
//
// An exchange of the rows in use, by targets that would have to wait for the
// number of them: all slots travel, and of what arrives
//
//     result[p, b, s, …] = s < receives[p, b, last] ? slot : 0

#include "ExpandRowExchanges.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

struct ExpandRowExchange : OpRewritePattern<smith::ExchangeRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(smith::ExchangeRowsOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType input = typeOf(op.getInput());
    RankedTensorType result = typeOf(op.getResult());
    SmallVector<int64_t> blocks(input.getShape().drop_front());
    int64_t members = membersOf(op);
    blocks.front() = input.getDimSize(0) * input.getDimSize(1) / members;
    blocks.insert(blocks.begin(), members);
    Value sent = stablehlo::ReshapeOp::create(builder, op.getInput(), blocks);
    Value arrived = smith::ExchangeBlocksOp::create(builder, sent.getType(),
                                                    sent, op.getAxes());
    Value all = stablehlo::ReshapeOp::create(builder, result, arrived);
    DenseElementsAttr nothing = DenseElementsAttr::get(
        result, builder.getZeroAttr(result.getElementType()));
    Value zeros =
        stablehlo::ConstantOp::create(builder, cast<ElementsAttr>(nothing));
    rewriter.replaceOpWithNewOp<stablehlo::SelectOp>(
        op, inUse(builder, op.getReceives(), result), all, zeros);
    return success();
  }

  static int64_t membersOf(smith::ExchangeRowsOp op) {
    RankMesh mesh(smith::getMesh(op));
    int64_t members = 1;
    for (const std::string &name : axisNames(op.getAxes()))
      members *= mesh.axis(name).size;
    return members;
  }

  /// Which elements are in slots in use.
  static Value inUse(ImplicitLocOpBuilder &builder, Value receives,
                     RankedTensorType type) {
    ArrayRef<int64_t> ends = shapeOf(receives);
    RankedTensorType numbers = type.clone(builder.getI32Type());
    SmallVector<int64_t> first{0, 0, ends[2] - 1};
    Value used = stablehlo::SliceOp::create(builder, receives, first, ends,
                                            ArrayRef<int64_t>{1, 1, 1});
    used = stablehlo::ReshapeOp::create(builder, used, ends.drop_back());
    used = stablehlo::BroadcastInDimOp::create(builder, numbers, used,
                                               ArrayRef<int64_t>{0, 1});
    Value slot = stablehlo::IotaOp::create(builder, numbers, /*dim=*/2);
    return stablehlo::CompareOp::create(builder, slot, used,
                                        stablehlo::ComparisonDirection::LT);
  }
};

} // namespace

void populateRowExchangePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRowExchange>(patterns.getContext());
}

} // namespace shardsmith::lower
