// SPDX-License-Identifier: Apache-2.0
//
// The ops of a loop go into a function, which takes the number of the
// iteration, what the loop reads, and what goes around it: carried values,
// among them the one that decides whether there is another iteration, and the
// stacks that the loop fills element by element, in place.

#include "shardsmith/Partition/Passes.h"
#include "shardsmith/Support/TensorTypes.h"

#include "../MicroBatches/StepParts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_OUTLINELOOPS
#include "shardsmith/Partition/Passes.h.inc"

namespace {

/// An index where its values are needed: reading it costs no less than making
/// it.
bool isIndexOnly(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  if (op->getNumOperands() == 0)
    return !smith::getMarkedLoop(op) && isPure(op);
  return isa<stablehlo::BroadcastInDimOp>(op) &&
         typeOf(op->getOperand(0)).getNumElements() <
             typeOf(op->getResult(0)).getNumElements();
}

class LoopOutliner {
public:
  LoopOutliner(func::FuncOp caller, int64_t loop, ArrayRef<Operation *> ops)
      : loop(loop), ops(ops), builder(caller.getLoc(), caller.getContext()) {
    for (Operation *op : ops)
      if (smith::getMarkedLoop(op) == loop)
        count = op->getAttrOfType<IntegerAttr>("count").getInt();
    makeFunction(caller);
  }

  func::FuncOp run() {
    for (Operation *op : ops)
      addCarried(op);
    for (Operation *op : ops)
      copy(op);
    SmallVector<Value> results;
    for (Operation *op : carried)
      results.push_back(nextOf(op));
    func::ReturnOp::create(builder, results);
    for (BlockArgument argument : carriedBody->getArguments())
      argument.replaceAllUsesWith(
          body->addArgument(argument.getType(), argument.getLoc()));
    function.setType(builder.getFunctionType(
        body->getArgumentTypes(), body->getTerminator()->getOperandTypes()));
    tieCarried(function, carried.size());
    call();
    return function;
  }

private:
  void makeFunction(func::FuncOp caller) {
    builder.setInsertionPointAfter(caller);
    function = func::FuncOp::create(
        builder, (caller.getName() + "_loop_" + Twine(loop)).str(),
        builder.getFunctionType({}, {}));
    SymbolTable(caller->getParentOfType<ModuleOp>()).insert(function);
    function.setPrivate();
    body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    index = body->addArgument(RankedTensorType::get({}, builder.getI32Type()),
                              caller.getLoc());
    // Arguments of what is read come before those of what goes around.
    carriedBody = std::make_unique<Block>();
  }

  bool isOfThisLoop(Operation *op) const {
    return smith::getMarkedLoop(op) == loop;
  }

  /// What goes around: values by their `loop_next`, stacks by themselves.
  void addCarried(Operation *op) {
    if (!isOfThisLoop(op) || !isa<smith::LoopNextOp, smith::LoopStackOp>(op))
      return;
    if (auto next = dyn_cast<smith::LoopNextOp>(op); next && next.getDecides())
      decider = builder.getI64IntegerAttr(carried.size());
    carried.push_back(op);
    Value argument =
        carriedBody->addArgument(op->getResult(0).getType(), op->getLoc());
    if (auto next = dyn_cast<smith::LoopNextOp>(op))
      locals.map(next.getCarry(), argument);
    else
      soFar[op] = argument;
  }

  Value nextOf(Operation *op) {
    if (auto next = dyn_cast<smith::LoopNextOp>(op))
      return take(next.getNext());
    return filledStacks.lookup(op);
  }

  /// The value inside of the function.
  Value take(Value value) {
    if (Value known = locals.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (op && isIndexOnly(op)) {
      IRMapping operands;
      for (Value operand : op->getOperands())
        operands.map(operand, take(operand));
      Value again = builder.clone(*op, operands)->getResult(0);
      locals.map(value, again);
      return again;
    }
    shared.push_back(value);
    Value argument = body->addArgument(value.getType(), value.getLoc());
    locals.map(value, argument);
    return argument;
  }

  void copy(Operation *op) {
    builder.setLoc(op->getLoc());
    if (isOfThisLoop(op)) {
      if (isa<smith::LoopIndexOp>(op))
        locals.map(op->getResult(0), index);
      else if (auto enter = dyn_cast<smith::LoopEnterOp>(op))
        locals.map(enter.getResult(), take(enter.getInput()));
      else if (auto slice = dyn_cast<smith::LoopSliceOp>(op))
        read(slice);
      else if (auto stack = dyn_cast<smith::LoopStackOp>(op))
        write(stack);
      return;
    }
    llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    for (Value operand : operands)
      take(operand);
    builder.clone(*op, locals);
  }

  Value position(bool isReversed) {
    if (!isReversed)
      return index;
    if (!fromEnd) {
      auto last = DenseElementsAttr::get(cast<ShapedType>(index.getType()),
                                         int32_t(count - 1));
      Value constant = stablehlo::ConstantOp::create(builder, last);
      fromEnd = stablehlo::SubtractOp::create(builder, constant, index);
    }
    return fromEnd;
  }

  void read(smith::LoopSliceOp slice) {
    Value input = take(slice.getInput());
    Value at = position(slice.getReversed());
    SmallVector<int64_t> sizes(typeOf(input).getShape());
    sizes[0] = 1;
    SmallVector<Value> starts{at};
    if (sizes.size() > 1) {
      auto zero = DenseElementsAttr::get(cast<ShapedType>(index.getType()), 0);
      starts.append(sizes.size() - 1,
                    stablehlo::ConstantOp::create(builder, zero));
    }
    Value element = stablehlo::DynamicSliceOp::create(
        builder, RankedTensorType::get(sizes, typeOf(input).getElementType()),
        input, starts, sizes);
    locals.map(slice.getResult(),
               stablehlo::ReshapeOp::create(builder, slice.getType(), element));
  }

  /// As a scatter of one element, which programs do in place.
  void write(smith::LoopStackOp stack) {
    Value element = take(stack.getInput());
    auto indexType = RankedTensorType::get({1}, builder.getI32Type());
    Value at = stablehlo::ReshapeOp::create(builder, indexType,
                                            position(stack.getReversed()));
    SmallVector<int64_t> window =
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(element).getRank()));
    auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
        builder.getContext(), window, /*insertedWindowDims=*/{0},
        /*inputBatchingDims=*/{}, /*scatterIndicesBatchingDims=*/{},
        /*scatterDimsToOperandDims=*/{0}, /*indexVectorDim=*/0);
    auto scatter = stablehlo::ScatterOp::create(
        builder, TypeRange{stack.getType()}, ValueRange{soFar.lookup(stack)},
        at, ValueRange{element}, numbers, builder.getBoolAttr(true),
        builder.getBoolAttr(true));
    auto scalar = RankedTensorType::get({}, stack.getType().getElementType());
    OpBuilder::InsertionGuard guard(builder);
    Block *update =
        builder.createBlock(&scatter.getUpdateComputation(), {},
                            {scalar, scalar}, {stack.getLoc(), stack.getLoc()});
    stablehlo::ReturnOp::create(builder, update->getArgument(1));
    filledStacks[stack] = scatter->getResult(0);
  }

  void call() {
    // The last op of the loop: all that it reads is there.
    Operation *last = ops.back();
    builder.setInsertionPoint(last);
    builder.setLoc(last->getLoc());
    SmallVector<Value> starts;
    for (Operation *op : carried) {
      auto next = dyn_cast<smith::LoopNextOp>(op);
      starts.push_back(
          next ? cast<smith::LoopCarryOp>(next.getCarry().getDefiningOp())
                     .getStart()
               : filled(builder, typeOf(op->getResult(0)), 0.0).value());
    }
    auto repeat = smith::RepeatOp::create(
        builder, function.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(function), builder.getI64IntegerAttr(count),
        decider, shared, starts);
    for (auto [op, result] : llvm::zip_equal(carried, repeat.getResults()))
      op->getResult(0).replaceAllUsesWith(result);
    for (Operation *op : llvm::reverse(ops)) {
      op->dropAllUses();
      op->erase();
    }
  }

  int64_t loop;
  int64_t count = 1;
  /// The position, among what goes around, of the value that decides.
  IntegerAttr decider;
  ArrayRef<Operation *> ops;
  ImplicitLocOpBuilder builder;
  func::FuncOp function;
  Block *body = nullptr;
  std::unique_ptr<Block> carriedBody;
  Value index, fromEnd;
  IRMapping locals;
  SmallVector<Value> shared;
  SmallVector<Operation *> carried;
  DenseMap<Operation *, Value> soFar, filledStacks;
};

struct OutlineLoopsPass : impl::OutlineLoopsBase<OutlineLoopsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> pending;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock() &&
          smith::hasLoops(function.front()))
        pending.push_back(function);
    // Loops in loops are outlined from the function of the outer one.
    while (!pending.empty()) {
      func::FuncOp function = pending.pop_back_val();
      Block &block = function.front();
      smith::eraseDeadCarries(block);
      if (failed(smith::groupLoops(block)))
        return signalPassFailure();
      smith::LoopNest nest(block);
      llvm::MapVector<int64_t, SmallVector<Operation *>> outermost;
      for (Operation &op : block)
        if (smith::LoopChain chain = nest.loopsOf(&op); !chain.empty())
          outermost[chain.front()].push_back(&op);
      for (auto &[loop, ops] : outermost) {
        func::FuncOp body = LoopOutliner(function, loop, ops).run();
        if (smith::hasLoops(body.front()))
          pending.push_back(body);
      }
    }
  }
};

} // namespace
} // namespace shardsmith
