// SPDX-License-Identifier: Apache-2.0
//
// Long lines are sorted in runs as long as the target sorts at once, and runs
// are merged, two and two, until one is as long as the line:
//
//     sort of 5000   =   runs of 2048, from 1
//                        runs of 4096, from 2048
//                        runs of 8192, from 4096

#include "ExpandSorts.h"
#include "TargetPattern.h"

#include "shardsmith/Dialect/Smith/SortRunsOp.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/SortShape.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

struct ExpandLongSort : TargetPattern<stablehlo::SortOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::SortOp sort,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(sort.getOperandTypes().front());
    auto dimension = static_cast<int64_t>(sort.getDimension());
    if (dimension < 0)
      dimension += type.getRank();
    int64_t length = sortLines(type, dimension).length;
    if (length <= target.longestSort)
      return failure();
    SmallVector<Value> sorted(sort.getInputs());
    for (int64_t from = 1, to = target.longestSort; from < length;
         from = to, to *= 2) {
      auto runs = smith::SortRunsOp::create(rewriter, sort.getLoc(),
                                            sort.getResultTypes(), sorted,
                                            dimension, from, to);
      IRMapping mapping;
      rewriter.cloneRegionBefore(sort.getComparator(), runs.getComparator(),
                                 runs.getComparator().end(), mapping);
      sorted.assign(runs.getResults().begin(), runs.getResults().end());
    }
    rewriter.replaceOp(sort, sorted);
    return success();
  }
};

} // namespace

void populateSortPatterns(RewritePatternSet &patterns,
                          const TargetTraits &target) {
  if (target.longestSort > 0)
    patterns.add<ExpandLongSort>(patterns.getContext(), target);
}

} // namespace shardsmith::lower
