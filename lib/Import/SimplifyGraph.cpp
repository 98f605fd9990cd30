// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_SIMPLIFYGRAPH
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The driver also runs the folders of the dialects, which make constants of
/// few elements only.
struct SimplifyGraph : impl::SimplifyGraphBase<SimplifyGraph> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateIndexingPatterns(owned);
    populateIdentityPatterns(owned);
    populateEmptyTensorPatterns(owned);
    populateConstantWindowPatterns(owned);
    patterns = FrozenRewritePatternSet(std::move(owned));
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Stopping early leaves a graph that is larger than need be, not wrong.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace shardsmith
