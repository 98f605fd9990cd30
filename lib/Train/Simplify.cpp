// SPDX-License-Identifier: Apache-2.0

#include "Simplify.h"

#include "SimplifyPatterns.h"

#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardsmith {

void simplify(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  populateIdentityPatterns(patterns);
  populateContractionPatterns(patterns);
  populateCotangentPatterns(patterns);

  // Whether or not the last iteration still changed something, the function is
  // equivalent to what it was.
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal();
  (void)applyPatternsGreedily(function, std::move(patterns), config);
  IRRewriter rewriter(context);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  if (smith::hasLoops(function.front()))
    smith::eraseDeadCarries(function.front());
}

} // namespace shardsmith
