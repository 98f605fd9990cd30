// SPDX-License-Identifier: Apache-2.0
//
// The functions of a program, and calls of them: a table of addresses stands
// for arguments and results.

#include "ProgramEmitter.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// The entries of the largest table that a function writes.
int64_t longestTable(func::FuncOp function) {
  int64_t longest = 1;
  function.walk([&](Operation *op) {
    if (isa<smith::RepeatOp, smith::RunOp>(op))
      longest = std::max<int64_t>(longest, 1 + op->getNumOperands() +
                                               op->getNumResults());
  });
  return longest;
}

} // namespace

// Results that could not be written where they belong are copied there. No
// copy reads what another one overwrites: a result that is an argument was
// given storage of its own before.
void ProgramEmitter::emitResults(func::FuncOp called) {
  Operation *terminator = called.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    int64_t to =
        called.getResultAttrOfType<IntegerAttr>(i, lower::offsetAttributeName)
            .getInt();
    if (lower::offsetOf(value) != to)
      copy(addressAt(to), addressOf(value),
           lower::bufferBytes(value.getType()));
  }
}

LogicalResult ProgramEmitter::emitBody(func::FuncOp called) {
  SmallVector<Operation *> message;
  for (Operation &op : called.getBody().front().without_terminator()) {
    if (!op.hasAttr(lower::bucketAttributeName) &&
        !op.hasAttr(lower::laterAttributeName)) {
      emitWait(frame.pending.takeInTheWayOf(&op));
      if (failed(emit(&op)))
        return failure();
      continue;
    }
    message.push_back(&op);
    if (lower::areInOneBucket(&op, op.getNextNode()))
      continue;
    if (failed(emitTogether(message)))
      return failure();
    message.clear();
  }
  emitWait(frame.pending.takeLast());
  emitResults(called);
  return success();
}

void ProgramEmitter::emitWait(Value number) {
  if (number)
    runtime.call("smith_wait", {frame.context, number});
}

// What a message reads was made by ops that have run, or by messages that are
// done before it.
LogicalResult ProgramEmitter::emitTogether(ArrayRef<Operation *> message) {
  bool isLater = message.front()->hasAttr(lower::laterAttributeName);
  if (!isLater)
    for (Operation *op : message)
      emitWait(frame.pending.takeInTheWayOf(op));
  runtime.call("smith_begin_group", {frame.context});
  for (Operation *op : message)
    if (failed(emit(op)))
      return failure();
  if (isLater)
    frame.pending.begin(message,
                        runtime.call("smith_end_group_later", {frame.context},
                                     builder.getI64Type()));
  else
    runtime.call("smith_end_group", {frame.context});
  return success();
}

Value ProgramEmitter::fillTable(Operation *call, Value number,
                                ValueRange inputs, ValueRange outputs,
                                ValueRange carried) {
  SmallVector<Value> addresses{number};
  for (Value input : inputs)
    addresses.push_back(addressOf(input));
  ValueRange last = call->getResults().take_back(carried.size());
  for (auto [initial, result] : llvm::zip_equal(carried, last)) {
    if (lower::offsetOf(initial) != lower::offsetOf(result))
      copy(addressOf(result), addressOf(initial),
           lower::bufferBytes(result.getType()));
    addresses.push_back(addressOf(result));
  }
  for (Value output : outputs)
    addresses.push_back(addressOf(output));
  for (auto [i, address] : llvm::enumerate(addresses)) {
    Value slot = LLVM::GEPOp::create(builder, runtime.pointer(),
                                     runtime.pointer(), frame.callTable,
                                     LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, address, slot);
  }
  return frame.callTable;
}

void ProgramEmitter::emitCall(Operation *call, func::FuncOp called,
                              Value table) {
  int64_t workspace =
      call->getAttrOfType<IntegerAttr>(lower::workspaceAttributeName).getInt();
  LLVM::CallOp::create(
      builder, functions.lookup(called.getName()),
      ValueRange{frame.context, frame.arena, addressAt(workspace), table});
}

void ProgramEmitter::emitPass(Operation *call, Value table, Value microBatch) {
  func::FuncOp called = smith::getCallee(call);
  auto pass = called->getAttrOfType<StringAttr>(smith::kPassAttributeName);
  std::string name = pass ? pass.str() : "micro-batch ";
  Value text = runtime.bytes("pass_" + name,
                             StringRef(name.c_str(), name.size() + 1), 1);
  runtime.call("smith_begin_pass", {frame.context, text, microBatch});
  emitCall(call, called, table);
  runtime.call("smith_end_pass", {frame.context});
}

LogicalResult ProgramEmitter::emitEntry(func::FuncOp entry, StringRef name) {
  bool isCalled = entry->hasAttr(lower::workspaceBytesAttributeName);
  // Those that it calls stand before it.
  WalkResult walked = entry.walk([&](Operation *op) {
    bool isCall = isa<smith::RepeatOp, smith::RunOp>(op);
    return isCall && !functionFor(smith::getCallee(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(program.getBody());
  Type pointer = runtime.pointer();
  SmallVector<Type> arguments(isCalled ? 4 : 2, pointer);
  auto function = LLVM::LLVMFuncOp::create(
      builder, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  arguments));
  Block *block = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  frame = Frame();
  frame.context = block->getArgument(0);
  frame.arena = block->getArgument(1);
  if (isCalled) {
    frame.workspace = block->getArgument(2);
    frame.table = block->getArgument(3);
    function.setLinkage(LLVM::Linkage::Internal);
    functions[entry.getName()] = function;
  }
  int64_t longest = 3; // a scatter's
  entry.walk([&](Operation *op) {
    if (isa<smith::KernelOp, stablehlo::SortOp>(op))
      longest = std::max<int64_t>(longest,
                                  op->getNumOperands() + op->getNumResults());
  });
  frame.argumentArray = LLVM::AllocaOp::create(builder, pointer, pointer,
                                               runtime.integer64(longest));
  frame.callTable = LLVM::AllocaOp::create(
      builder, pointer, pointer, runtime.integer64(longestTable(entry)));
  if (failed(emitBody(entry)))
    return failure();
  LLVM::ReturnOp::create(builder, ValueRange());
  return success();
}

LLVM::LLVMFuncOp ProgramEmitter::functionFor(func::FuncOp called) {
  LLVM::LLVMFuncOp known = functions.lookup(called.getName());
  if (known || failed(emitEntry(called, ("smith_" + called.getName()).str())))
    return known;
  return functions.lookup(called.getName());
}

// A loop that a value decides may have no iteration; any other has one.
LogicalResult ProgramEmitter::emitRepeat(smith::RepeatOp op) {
  Type i32 = builder.getI32Type();
  Value number = LLVM::AllocaOp::create(builder, runtime.pointer(), i32,
                                        runtime.integer64(1));
  Value table = fillTable(op, number, op.getShared(), {}, op.getCarried());
  Value own = ownCount(op);
  LLVM::StoreOp::create(builder, runtime.integer32(0), number);
  Block *before = builder.getInsertionBlock();
  Region *region = before->getParent();
  Block *body = builder.createBlock(region, region->end());
  Block *behind = builder.createBlock(region, region->end());
  auto isDecidedToGoOn = [&] {
    Value address = addressOf(op.getResult(*op.getDecider()));
    Value flag = LLVM::LoadOp::create(builder, builder.getI8Type(), address);
    Value zero = LLVM::ConstantOp::create(builder, builder.getI8Type(), 0);
    return LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, flag, zero);
  };
  builder.setInsertionPointToEnd(before);
  if (op.getDecider())
    LLVM::CondBrOp::create(builder, isDecidedToGoOn(), body, behind);
  else
    LLVM::BrOp::create(builder, ValueRange(), body);
  builder.setInsertionPointToEnd(body);
  emitPass(op, table, LLVM::LoadOp::create(builder, i32, number));
  Value next =
      LLVM::AddOp::create(builder, LLVM::LoadOp::create(builder, i32, number),
                          runtime.integer32(1));
  LLVM::StoreOp::create(builder, next, number);
  Value isLeft;
  if (op.getDecider()) {
    isLeft = isDecidedToGoOn();
  } else {
    Value count = own ? own : runtime.integer32(op.getCount());
    isLeft =
        LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::slt, next, count);
  }
  LLVM::CondBrOp::create(builder, isLeft, body, behind);
  builder.setInsertionPointToEnd(behind);
  return success();
}

LogicalResult ProgramEmitter::emitRun(smith::RunOp op) {
  Value number = LLVM::AllocaOp::create(
      builder, runtime.pointer(), builder.getI32Type(), runtime.integer64(1));
  Value microBatch = runtime.integer32(op.getMicroBatch());
  LLVM::StoreOp::create(builder, microBatch, number);
  ValueRange outputs = op.getResults().drop_back(op.getCarried().size());
  Value table = fillTable(op, number, op.getInputs(), outputs, op.getCarried());
  unlessLeftOut(op, op.getMicroBatch(),
                [&] { emitPass(op, table, microBatch); });
  return success();
}

Value ProgramEmitter::ownCount(Operation *op) {
  auto counts =
      op->getAttrOfType<DenseI64ArrayAttr>(smith::kCountsAttributeName);
  if (!counts)
    return nullptr;
  std::vector<int32_t> numbers(counts.asArrayRef().begin(),
                               counts.asArrayRef().end());
  Value table =
      runtime.bytes(("micro_batches_" + Twine(constantCount++)).str(),
                    StringRef(reinterpret_cast<const char *>(numbers.data()),
                              numbers.size() * sizeof(int32_t)),
                    alignof(int32_t));
  Type i32 = builder.getI32Type();
  Value rank = runtime.call("smith_rank", {frame.context}, i32);
  Value place = LLVM::GEPOp::create(builder, runtime.pointer(), i32, table,
                                    LLVM::GEPArg(rank));
  return LLVM::LoadOp::create(builder, i32, place);
}

void ProgramEmitter::unlessLeftOut(Operation *op, int64_t microBatch,
                                   llvm::function_ref<void()> emitIt) {
  auto program = op->getParentOfType<func::FuncOp>();
  auto counts =
      program->getAttrOfType<DenseI64ArrayAttr>(smith::kCountsAttributeName);
  // Every rank does the first ones.
  if (!counts || microBatch < *llvm::min_element(counts.asArrayRef()))
    return emitIt();
  Block *before = builder.getInsertionBlock();
  Region *region = before->getParent();
  Block *inside = builder.createBlock(region, region->end());
  Block *behind = builder.createBlock(region, region->end());
  builder.setInsertionPointToEnd(before);
  Value isDone =
      LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::sgt, ownCount(program),
                           runtime.integer32(microBatch));
  LLVM::CondBrOp::create(builder, isDone, inside, behind);
  builder.setInsertionPointToEnd(inside);
  emitIt();
  LLVM::BrOp::create(builder, ValueRange(), behind);
  builder.setInsertionPointToEnd(behind);
}

} // namespace shardsmith::cpu
