// SPDX-License-Identifier: Apache-2.0

#include "SortedRows.h"

#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Train/ExpertRows.h"
#include "shardsmith/Train/Passes.h"
#include "shardsmith/Transforms/RaggedDots.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_UNSORTEXPERTROWS
#include "shardsmith/Train/Passes.h.inc"

namespace {

/// Erases ops without users, from the last to the first.
void eraseUnused(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult refuse(chlo::RaggedDotOp product, Operation *obstacle,
                     int64_t ranks) {
  InFlightDiagnostic error =
      product.emitError()
      << "experts cannot be spread over " << ranks
      << " ranks: the rows of this product are not followed back to the "
         "tokens that chlo.top_k has chosen experts for; use one rank for all "
         "experts";
  if (obstacle)
    error.attachNote(obstacle->getLoc())
        << "'" << obstacle->getName() << "' may depend on the order of rows";
  return failure();
}

} // namespace

LogicalResult unsortExpertRows(ModuleOp module, const ExpertRanks &ranks) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return success();
  Block &body = main.getBody().front();
  if (body.getOps<chlo::RaggedDotOp>().empty())
    return success();
  Operation *obstacle = nullptr;
  for (auto sort : llvm::to_vector(body.getOps<stablehlo::SortOp>())) {
    using enum SortedRows::PartRows;
    if (ranks.count > 1 && SortedRows(sort, ranks, OfExperts).run())
      continue;
    SortedRows rows(sort, ranks, OfChoices);
    if (!rows.run() && rows.obstacle())
      obstacle = rows.obstacle();
  }
  eraseUnused(body);
  if (ranks.count > 1)
    for (auto product : body.getOps<chlo::RaggedDotOp>())
      return refuse(product, obstacle, ranks.count);
  RewritePatternSet patterns(module.getContext());
  populateRaggedDotPatterns(patterns);
  return applyPatternsGreedily(main, std::move(patterns));
}

namespace {

struct UnsortExpertRowsPass : impl::UnsortExpertRowsBase<UnsortExpertRowsPass> {
  using UnsortExpertRowsBase::UnsortExpertRowsBase;

  void runOnOperation() override {
    ExpertRanks spread;
    spread.count = ranks;
    spread.axes.assign(axes.begin(), axes.end());
    if (spread.count < 1) {
      getOperation().emitError()
          << "ranks=" << spread.count << ": expected one rank or more";
      return signalPassFailure();
    }
    if (failed(unsortExpertRows(getOperation(), spread)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
