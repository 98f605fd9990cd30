// SPDX-License-Identifier: Apache-2.0
//
// The ops of a folded step fall into three parts, whose order in the program
// is free but for what they read:
//
//     once     equal in all micro-batches           stays, before
//     repeated depends on the micro-batch           goes into the function
//     after    depends on what is accumulated       stays, behind

#include "shardsmith/Partition/Passes.h"

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

/// Whether ranks exchange what they hold. Sums over ranks hold no more than
/// their terms.
bool exchanges(Operation *op) {
  return isa<smith::SmithDialect>(op->getDialect()) && op->hasAttr("axes") &&
         !isa<smith::ShardIndexOp, smith::AllReduceOp>(op);
}

int64_t elementsOf(ValueRange values) {
  int64_t count = 0;
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      count += type.getNumElements();
  return count;
}

Value combine(OpBuilder &builder, Location location, ReductionKind kind,
              Value a, Value b) {
  switch (kind) {
  case ReductionKind::Sum:
    return stablehlo::AddOp::create(builder, location, a, b);
  case ReductionKind::Product:
    return stablehlo::MulOp::create(builder, location, a, b);
  case ReductionKind::Max:
    return stablehlo::MaxOp::create(builder, location, a, b);
  case ReductionKind::Min:
    return stablehlo::MinOp::create(builder, location, a, b);
  case ReductionKind::And:
    return stablehlo::AndOp::create(builder, location, a, b);
  case ReductionKind::Or:
    return stablehlo::OrOp::create(builder, location, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

class MicroBatchOutliner {
public:
  explicit MicroBatchOutliner(func::FuncOp main)
      : main(main), block(main.front()), repeated(smith::findRepeatedOps(main)),
        builder(main.getContext()) {}

  LogicalResult run() {
    count = smith::getMicroBatchCount(main);
    findAfter();
    for (Operation *op : repeated)
      if (failed(check(op)))
        return failure();
    findOnce();
    makeFunction();
    callFunction();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (repeated.contains(&op) || isOpTriviallyDead(&op)) {
        op.dropAllUses();
        op.erase();
      }
    return success();
  }

private:
  /// Whether a value is known after all micro-batches alone.
  bool isOfWholeStep(Value value) const {
    Operation *maker = value.getDefiningOp();
    return maker && (isa<smith::AccumulateOp>(maker) || after.contains(maker));
  }

  void findAfter() {
    for (Operation &op : block.without_terminator())
      if (!repeated.contains(&op) &&
          llvm::any_of(op.getOperands(),
                       [&](Value operand) { return isOfWholeStep(operand); }))
        after.insert(&op);
  }

  LogicalResult check(Operation *op) const {
    for (Value operand : op->getOperands())
      if (isOfWholeStep(operand)) {
        InFlightDiagnostic error =
            op->emitError("is done once per micro-batch, but reads a value "
                          "that is known after all of them");
        error.attachNote(operand.getLoc()) << "which is this one";
        return error;
      }
    for (Operation *user : op->getUsers())
      if (!isa<smith::AccumulateOp>(op) && !repeated.contains(user))
        return op->emitError("is the value of one micro-batch, but '")
               << user->getName().getStringRef()
               << "' reads it as that of the step; accumulate it before";
    return success();
  }

  /// Ops whose results the function takes rather than computes.
  void findOnce() {
    llvm::DenseSet<Value> fromArguments;
    for (Operation &op : block.without_terminator()) {
      if (repeated.contains(&op) || after.contains(&op) || exchanges(&op) ||
          op.getNumOperands() == 0)
        continue;
      auto isFree = [](Value operand) {
        Operation *maker = operand.getDefiningOp();
        return maker && maker->getNumOperands() == 0 &&
               !isa<smith::MicroBatchIndexOp>(maker);
      };
      bool readsArguments = false, readsOthers = false;
      for (Value operand : op.getOperands()) {
        bool isKnown =
            isa<BlockArgument>(operand) || fromArguments.contains(operand);
        readsArguments |= isKnown;
        readsOthers |= !isKnown && !isFree(operand);
      }
      if (!readsArguments || readsOthers ||
          elementsOf(op.getResults()) > elementsOf(op.getOperands()))
        continue;
      fromArguments.insert(op.result_begin(), op.result_end());
      once.insert(&op);
    }
  }

  void makeFunction() {
    SymbolTable symbols(main->getParentOfType<ModuleOp>());
    builder.setInsertionPointAfter(main);
    function = func::FuncOp::create(builder, main.getLoc(), "micro_batch",
                                    builder.getFunctionType({}, {}));
    function.setPrivate();
    symbols.insert(function);
    body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    Value index = body->addArgument(
        RankedTensorType::get({}, builder.getI32Type()), main.getLoc());
    SmallVector<smith::AccumulateOp> sums;
    for (Operation *op : repeated) {
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
    nameCarried(results.size());
  }

  /// A result takes the place of the argument of its name.
  void nameCarried(unsigned results) {
    unsigned first = function.getNumArguments() - results;
    for (unsigned number = 0; number < results; ++number) {
      StringAttr name = builder.getStringAttr("sum." + Twine(number));
      StringAttr role = builder.getStringAttr("state");
      function.setArgAttr(first + number, smith::kNameAttributeName, name);
      function.setArgAttr(first + number, smith::kRoleAttributeName, role);
      function.setResultAttr(number, smith::kNameAttributeName, name);
      function.setResultAttr(number, smith::kRoleAttributeName, role);
    }
  }

  /// Sees to it that the function has a value: by an argument, or by making it
  /// again.
  void take(Value value) {
    if (locals.contains(value))
      return;
    Operation *op = value.getDefiningOp();
    if (!op || once.contains(op)) {
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
    for (smith::AccumulateOp sum : carried) {
      ImplicitLocOpBuilder here(sum.getLoc(), builder);
      // Not as a constant, which programs would have to hold.
      auto scalar = RankedTensorType::get({}, sum.getType().getElementType());
      Value neutral =
          stablehlo::createNeutral(here, scalar, sum.getKind().getValue());
      zeros.push_back(stablehlo::BroadcastInDimOp::create(
          here, sum.getType(), neutral, ArrayRef<int64_t>()));
    }
    auto repeat = smith::RepeatOp::create(
        builder, main.getLoc(), function.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(function), builder.getI64IntegerAttr(count),
        shared, zeros);
    for (auto [sum, total] : llvm::zip_equal(carried, repeat.getResults()))
      sum.getResult().replaceAllUsesWith(total);
    for (Operation *op : after)
      op->moveBefore(block.getTerminator());
  }

  func::FuncOp main;
  Block &block;
  llvm::SetVector<Operation *> repeated, after, once;
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
        smith::getMicroBatchCount(main) == 1)
      return;
    if (failed(MicroBatchOutliner(main).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
