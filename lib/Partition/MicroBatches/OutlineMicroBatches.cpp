// SPDX-License-Identifier: Apache-2.0
//
// What is repeated goes into the function (StepParts.h); what is always equal
// stays before its call, what comes after stays behind it.

#include "shardsmith/Partition/Passes.h"

#include "StepParts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Localization/StableHLO.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_OUTLINEMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

class MicroBatchOutliner {
public:
  explicit MicroBatchOutliner(func::FuncOp main)
      : main(main), block(main.front()), parts(main),
        builder(main.getContext()) {}

  void run() {
    count = smith::getMicroBatchCount(main);
    makeFunction();
    callFunction();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (parts.repeated.contains(&op) || isOpTriviallyDead(&op)) {
        op.dropAllUses();
        op.erase();
      }
  }

private:
  void makeFunction() {
    SymbolTable symbols(main->getParentOfType<ModuleOp>());
    builder.setInsertionPointAfter(main);
    function = func::FuncOp::create(builder, main.getLoc(), "micro_batch",
                                    builder.getFunctionType({}, {}));
    symbols.insert(function);
    function.setPrivate();
    body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    Value index = body->addArgument(
        RankedTensorType::get({}, builder.getI32Type()), main.getLoc());
    SmallVector<smith::AccumulateOp> sums;
    for (Operation *op : parts.repeated) {
      if (isa<smith::MicroBatchIndexOp>(op)) {
        locals.map(op->getResult(0), index);
      } else if (auto sum = dyn_cast<smith::AccumulateOp>(op)) {
        sums.push_back(sum);
        take(sum.getInput());
      } else {
        takeAndClone(op);
      }
    }
    SmallVector<Value> results;
    for (smith::AccumulateOp sum : sums) {
      carried.push_back(sum);
      Value soFar = body->addArgument(sum.getType(), sum.getLoc());
      results.push_back(combine(builder, sum.getLoc(), sum.getKind().getValue(),
                                soFar, locals.lookup(sum.getInput())));
    }
    func::ReturnOp::create(builder, main.getLoc(), results);
    function.setType(builder.getFunctionType(body->getArgumentTypes(),
                                             TypeRange(ValueRange(results))));
    tieCarried(function, results.size());
  }

  /// Sees to it that the function has a value: by an argument, or by making it
  /// again.
  void take(Value value) {
    if (locals.contains(value))
      return;
    Operation *op = value.getDefiningOp();
    if (!op || parts.once.contains(op)) {
      locals.map(value, body->addArgument(value.getType(), value.getLoc()));
      shared.push_back(value);
      return;
    }
    takeAndClone(op);
  }

  void takeAndClone(Operation *op) {
    llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    for (Value value : read)
      take(value);
    builder.clone(*op, locals);
  }

  void callFunction() {
    builder.setInsertionPoint(block.getTerminator());
    SmallVector<Value> zeros;
    for (smith::AccumulateOp sum : carried)
      zeros.push_back(startOf(builder, sum));
    auto repeat = smith::RepeatOp::create(
        builder, main.getLoc(), function.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(function), builder.getI64IntegerAttr(count),
        /*decider=*/nullptr, shared, zeros);
    if (DenseI64ArrayAttr counts = countsOf(main, parts))
      repeat->setAttr(smith::kCountsAttributeName, counts);
    for (auto [sum, total] : llvm::zip_equal(carried, repeat.getResults()))
      sum.getResult().replaceAllUsesWith(total);
    for (Operation *op : parts.after)
      op->moveBefore(block.getTerminator());
  }

  func::FuncOp main;
  Block &block;
  StepParts parts;
  OpBuilder builder;
  int64_t count = 1;
  func::FuncOp function;
  Block *body = nullptr;
  IRMapping locals;
  SmallVector<Value> shared;
  SmallVector<smith::AccumulateOp> carried;
};

struct OutlineMicroBatchesPass
    : impl::OutlineMicroBatchesBase<OutlineMicroBatchesPass> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !main.getBody().hasOneBlock() ||
        !smith::isInMicroBatches(main))
      return;
    if (failed(verifyAccumulated(StepParts(main))))
      return signalPassFailure();
    MicroBatchOutliner(main).run();
  }
};

} // namespace
} // namespace shardsmith
