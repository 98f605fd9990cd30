// SPDX-License-Identifier: Apache-2.0

#include "SortedRows.h"

#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Support/ProgramManifest.h"
#include "shardsmith/Train/ExpertRows.h"
#include "shardsmith/Train/Passes.h"
#include "shardsmith/Transforms/RaggedDots.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

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
                     const ExpertRanks &ranks) {
  InFlightDiagnostic error = product.emitError();
  if (ranks.count > 1)
    error << "experts cannot be spread over " << ranks.count << " ranks";
  else
    error << "experts cannot have a capacity";
  error << ": the rows of this product are not followed back to the tokens "
           "that chlo.top_k has chosen experts for; "
        << (ranks.count > 1 ? "use one rank for all experts"
                            : "leave the capacity out");
  if (obstacle)
    error.attachNote(obstacle->getLoc())
        << "'" << obstacle->getName() << "' may depend on the order of rows";
  return failure();
}

/// How many samples every batch argument holds; zero if they do not say the
/// same number.
int64_t countSamples(func::FuncOp main) {
  int64_t samples = 0;
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto role =
        main.getArgAttrOfType<StringAttr>(number, smith::kRoleAttributeName);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!role || role.getValue() != "batch" || !type)
      continue;
    auto dim = main.getArgAttrOfType<IntegerAttr>(
        number, smith::kBatchDimAttributeName);
    int64_t position = dim ? dim.getInt() : 0;
    if (position < 0 || position >= type.getRank())
      continue;
    int64_t size = type.getDimSize(position);
    if (samples != 0 && samples != size)
      return 0;
    samples = size;
  }
  return samples;
}

bool hasProducts(func::FuncOp function) {
  return !function.isExternal() && function.getBody().hasOneBlock() &&
         !function.getBody().front().getOps<chlo::RaggedDotOp>().empty();
}

/// Of all sorts whose rows can be followed. Returns what has prevented it, if
/// anything has.
Operation *unsortRows(Block &body, const ExpertRanks &ranks) {
  Operation *obstacle = nullptr;
  for (auto sort : llvm::to_vector(body.getOps<stablehlo::SortOp>())) {
    using enum SortedRows::PartRows;
    if (ranks.count > 1 && SortedRows(sort, ranks, Exchanged).run())
      continue;
    if (ranks.count > 1 && SortedRows(sort, ranks, OfExperts).run())
      continue;
    SortedRows rows(sort, ranks, OfChoices);
    if (!rows.run() && rows.obstacle())
      obstacle = rows.obstacle();
  }
  eraseUnused(body);
  return obstacle;
}

LogicalResult unsortExpertRows(func::FuncOp function,
                               const ExpertRanks &ranks) {
  Block &body = function.getBody().front();
  Operation *obstacle = unsortRows(body, ranks);
  if (ranks.count > 1 || ranks.capacityFactor > 0)
    for (auto product : body.getOps<chlo::RaggedDotOp>())
      return refuse(product, obstacle, ranks);
  RewritePatternSet patterns(function.getContext());
  populateRaggedDotPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

} // namespace

OwningOpRef<ModuleOp> copyWithExpertRowsFollowed(ModuleOp module,
                                                 IRMapping &copies) {
  if (llvm::none_of(module.getOps<func::FuncOp>(), hasProducts))
    return nullptr;
  auto copy = cast<ModuleOp>(module->clone(copies));
  for (auto function : copy.getOps<func::FuncOp>())
    if (hasProducts(function))
      unsortRows(function.getBody().front(), ExpertRanks());
  return copy;
}

bool followsAllExpertRows(ModuleOp module) {
  IRMapping copies;
  OwningOpRef<ModuleOp> copy = copyWithExpertRowsFollowed(module, copies);
  return !copy ||
         !copy->walk([](chlo::RaggedDotOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

LogicalResult unsortExpertRows(ModuleOp module, const ExpertRanks &given) {
  ExpertRanks ranks = given;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (ranks.samples == 0 && main && !main.isExternal())
    ranks.samples = countSamples(main);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!hasProducts(function))
      continue;
    if (ranks.capacityFactor > 0 && ranks.samples == 0)
      return function.emitError(
          "experts have a capacity of each sample, but batch arguments do not "
          "agree on how many samples there are; leave the capacity out");
    if (failed(unsortExpertRows(function, ranks)))
      return failure();
  }
  return success();
}

namespace {

struct UnsortExpertRowsPass : impl::UnsortExpertRowsBase<UnsortExpertRowsPass> {
  using UnsortExpertRowsBase::UnsortExpertRowsBase;

  void runOnOperation() override {
    ExpertRanks spread;
    spread.count = ranks;
    spread.axes.assign(axes.begin(), axes.end());
    spread.tokenAxes.assign(tokenAxes.begin(), tokenAxes.end());
    spread.exchange = exchange;
    spread.capacityFactor = capacity;
    spread.samples = samples;
    if (spread.count < 1 || spread.count > mostRanksOfProgram) {
      getOperation().emitError() << "ranks=" << spread.count
                                 << ": expected 1 to " << mostRanksOfProgram;
      return signalPassFailure();
    }
    if (spread.samples < 0) {
      getOperation().emitError()
          << "samples=" << spread.samples << ": expected zero or more";
      return signalPassFailure();
    }
    if (!(capacity >= 0) || std::isinf(capacity)) {
      getOperation().emitError()
          << "capacity=" << capacity << ": expected zero or more";
      return signalPassFailure();
    }
    if (failed(unsortExpertRows(getOperation(), spread)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
