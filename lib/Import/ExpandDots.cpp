// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDDOTS
#include "shardsmith/Import/Passes.h.inc"

namespace {

struct ExpandDots : impl::ExpandDotsBase<ExpandDots> {
  void runOnOperation() override {
    getOperation().walk([](stablehlo::DotOp op) {
      int64_t last = op.getLhs().getType().getRank();
      OpBuilder builder(op);
      auto numbers = stablehlo::DotDimensionNumbersAttr::get(
          op.getContext(), /*lhs_batching_dimensions=*/{},
          /*rhs_batching_dimensions=*/{}, {last - 1}, {0});
      auto general = stablehlo::DotGeneralOp::create(
          builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(), numbers,
          op.getPrecisionConfigAttr(), /*algorithm=*/nullptr);
      general->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(general.getResult());
      op.erase();
    });
  }
};

} // namespace
} // namespace shardsmith
