// SPDX-License-Identifier: Apache-2.0
//
// Buffers and their lifetimes. Time is the number of the op in the program.
//
//     arguments    ├──────────────────────────────┤   fixed places
//     a                ├──────┤
//     b = f(a)                ├──────┤                in place of a
//     c                    ├─────────────┤
//
// A result that may be written over an operand which dies there joins the
// operand's buffer. The remaining buffers are placed from large to small at
// the lowest offset that no buffer alive at the same time occupies.
//
// A function that is called works in one buffer of the caller, its
// *workspace*: alive during the call, as large as the function's temporaries.
// What it takes and returns are buffers of the caller, too.
//
//     caller     │ parameters … │ sums │ results │ workspace │
//     function                                   │ a │ b │ … │

#include "InPlace.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/JointLaunch.h"
#include "shardsmith/Lower/Common/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_PLANBUFFERS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {

int64_t storageBytes(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

int64_t bufferBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Bytes bytes = Bytes(storageBytes(tensor.getElementType()));
  for (int64_t size : tensor.getShape())
    bytes = bytes * size;
  return bytes.count();
}

llvm::SmallVector<func::FuncOp> rankFunctions(func::FuncOp main) {
  SmallVector<func::FuncOp> functions;
  for (auto function : main->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (function->hasAttr(smith::kCoordinateAttributeName))
      functions.push_back(function);
  llvm::sort(functions, [](func::FuncOp a, func::FuncOp b) {
    auto coordinate = [](func::FuncOp function) {
      return function
          ->getAttrOfType<IntegerAttr>(smith::kCoordinateAttributeName)
          .getInt();
    };
    return coordinate(a) < coordinate(b);
  });
  return functions;
}

int64_t offsetOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function
        .getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                       offsetAttributeName)
        .getInt();
  }
  auto result = cast<OpResult>(value);
  auto offsets =
      result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(offsetsAttributeName);
  return offsets[result.getResultNumber()];
}

namespace {

struct PlannedBuffer {
  int64_t bytes = 0;
  int64_t first = 0, last = 0; ///< alive from first to last, inclusive
  int64_t offset = -1;         ///< −1: not placed yet
  bool isConstant = false;
  bool isInTable = false; ///< a buffer of the caller
};

bool isAlias(Operation *op) { return isa<stablehlo::ReshapeOp>(op); }

/// A message of several collectives reads all operands before it writes a
/// result, and kernels of one launch run in any order: no buffer that is read
/// or written by one member may be a result of another.
bool areAtOneTime(Operation *a, Operation *b) {
  return areInOneBucket(a, b) || areInOneLaunch(a, b);
}

class BufferPlanner {
public:
  BufferPlanner(func::FuncOp function, const TargetTraits &target,
                bool isCalled = false)
      : function(function), block(function.getBody().front()), target(target),
        isCalled(isCalled) {}

  FailureOr<ProgramLayout> run();

private:
  LogicalResult plan();
  LogicalResult addWorkspace(Operation *op);
  void claimResults();
  LogicalResult check() const;
  LogicalResult placeArguments();
  void placeResultsWithoutArgument();
  void number();
  void keepUntilRead(Operation *op);
  int64_t firstUse(Value value, int64_t end) const;
  void assign(Operation *op);
  std::optional<size_t> findBufferInPlace(Operation *op, unsigned result);
  std::optional<size_t> findDonatedBuffer(Operation *op, unsigned result);
  bool isReadBesides(Operation *op, size_t buffer);
  void placeTemporaries();
  Bytes lowerBound() const;
  void record();
  LogicalResult take(int64_t bytes, int64_t &offset, Location location);
  int64_t resultOffset(unsigned result) const {
    return tableOffset(block.getNumArguments() + result);
  }
  int64_t align(int64_t bytes) const {
    return ceilDivide(bytes, target.bufferAlignment) * target.bufferAlignment;
  }

  func::FuncOp function;
  Block &block;
  const TargetTraits &target;
  /// Whether arguments and results are buffers of a caller.
  bool isCalled;
  /// Calls and their workspaces.
  SmallVector<std::pair<Operation *, size_t>> calls;
  SmallVector<PlannedBuffer> buffers;
  DenseMap<Value, size_t> bufferOf;
  /// The last time a value or an alias of it is read.
  DenseMap<Value, int64_t> lastUse;
  DenseMap<Operation *, int64_t> time;
  int64_t endTime = 0;
  /// Which op reads a buffer at `timeOfReaders`; null: several do.
  DenseMap<size_t, Operation *> readers;
  int64_t timeOfReaders = -1;
  SmallVector<size_t> argumentBuffers;
  /// Buffers whose contents must survive because they are someone's result.
  llvm::DenseSet<size_t> taken;
  ProgramLayout layout;
};

LogicalResult BufferPlanner::take(int64_t bytes, int64_t &offset,
                                  Location location) {
  offset = layout.arena.count();
  layout.arena += Bytes(align(bytes));
  if (layout.arena.isSaturated())
    return emitError(location, "the program's tensors exceed 2^63 bytes");
  return success();
}

LogicalResult BufferPlanner::placeArguments() {
  for (BlockArgument argument : function.getArguments()) {
    PlannedBuffer buffer;
    buffer.bytes = bufferBytes(argument.getType());
    buffer.last = endTime;
    buffer.isInTable = isCalled;
    if (isCalled)
      buffer.offset = tableOffset(argument.getArgNumber());
    else if (failed(take(buffer.bytes, buffer.offset, argument.getLoc())))
      return failure();
    auto role = function.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), smith::kRoleAttributeName);
    Bytes &item = !role             ? layout.batch
                  : role == "param" ? layout.parameters
                  : role == "state" ? layout.states
                  : role == "batch" ? layout.batch
                                    : layout.constants;
    item += Bytes(align(buffer.bytes));
    bufferOf[argument] = buffers.size();
    argumentBuffers.push_back(buffers.size());
    buffers.push_back(buffer);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    int64_t argument = smith::replacedArgument(function, i);
    if (argument < 0)
      continue;
    Type before = function.getArgumentTypes()[argument];
    Type after = function.getResultTypes()[i];
    if (before != after)
      return function.emitError()
             << "result " << i << " has type " << after
             << " but replaces argument " << argument << " of type " << before
             << "; give them the same type and sharding";
  }
  return success();
}

void BufferPlanner::number() {
  for (Operation &op : block)
    time[&op] = areAtOneTime(op.getPrevNode(), &op) ? endTime - 1 : endTime++;
  for (Operation &op : llvm::reverse(block)) {
    int64_t at = time[&op];
    // An alias is read when its readers read it.
    if (isAlias(&op))
      at = lastUse.lookup(op.getResult(0));
    for (Value operand : op.getOperands())
      lastUse[operand] = std::max(lastUse.lookup(operand), at);
  }
  for (Operation &op : block)
    if (op.hasAttr(laterAttributeName) && !isa<smith::AllReduceOp>(op))
      keepUntilRead(&op);
}

/// What a collective reads while the ops behind it run is kept until its result
/// is read. The sum of an all-reduce lies in its operand's place.
void BufferPlanner::keepUntilRead(Operation *op) {
  int64_t first = endTime - 1;
  for (Value result : op->getResults())
    first = std::min(first, firstUse(result, first));
  for (Value value = op->getOperand(0); value;) {
    lastUse[value] = std::max(lastUse.lookup(value), first);
    auto alias = value.getDefiningOp<stablehlo::ReshapeOp>();
    value = alias ? alias.getOperand() : Value();
  }
}

/// When a value or an alias of it is read first; `end` if it is not before.
int64_t BufferPlanner::firstUse(Value value, int64_t end) const {
  for (Operation *user : value.getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    end = std::min(end, isAlias(here) ? firstUse(here->getResult(0), end)
                                      : time.lookup(here));
  }
  return end;
}

// The op's result becomes the new contents of an argument: it can be written
// there at once if nothing reads the old contents afterwards, and the op
// itself reads them in step with writing.
std::optional<size_t> BufferPlanner::findDonatedBuffer(Operation *op,
                                                       unsigned result) {
  Value value = op->getResult(result);
  for (OpOperand &use : value.getUses()) {
    if (!isa<func::ReturnOp>(use.getOwner()))
      continue;
    int64_t number = smith::replacedArgument(function, use.getOperandNumber());
    if (number < 0)
      continue;
    Value argument = function.getArgument(number);
    size_t buffer = argumentBuffers[number];
    if (taken.contains(buffer) || lastUse.lookup(argument) > time[op] ||
        isReadBesides(op, buffer))
      continue;
    bool isSafe = true;
    for (OpOperand &operand : op->getOpOperands())
      if (bufferOf.lookup(operand.get()) == buffer)
        isSafe &= mayWriteInPlace(op, operand.getOperandNumber(), result);
    if (isSafe)
      return buffer;
  }
  return std::nullopt;
}

/// Whether another op that runs at the time of this one reads the buffer.
bool BufferPlanner::isReadBesides(Operation *op, size_t buffer) {
  if (!areAtOneTime(op->getPrevNode(), op) &&
      !areAtOneTime(op, op->getNextNode()))
    return false;
  if (timeOfReaders != time[op]) {
    timeOfReaders = time[op];
    readers.clear();
    Operation *first = op;
    while (areAtOneTime(first->getPrevNode(), first))
      first = first->getPrevNode();
    for (Operation *each = first; each && time[each] == timeOfReaders;
         each = each->getNextNode())
      for (Value operand : each->getOperands()) {
        auto [reader, isNew] =
            readers.try_emplace(bufferOf.lookup(operand), each);
        if (!isNew && reader->second != each)
          reader->second = nullptr;
      }
  }
  auto reader = readers.find(buffer);
  return reader != readers.end() && reader->second != op;
}

std::optional<size_t> BufferPlanner::findBufferInPlace(Operation *op,
                                                       unsigned result) {
  for (OpOperand &operand : op->getOpOperands()) {
    size_t index = bufferOf.lookup(operand.get());
    PlannedBuffer &buffer = buffers[index];
    bool isTemporary = !buffer.isConstant && !taken.contains(index) &&
                       !llvm::is_contained(argumentBuffers, index);
    if (!isTemporary || buffer.last > time[op] || isReadBesides(op, index))
      continue;
    // Operands may share the buffer through aliases: all must be safe.
    bool isSafe = true;
    for (OpOperand &other : op->getOpOperands())
      if (bufferOf.lookup(other.get()) == index)
        isSafe &= mayWriteInPlace(op, other.getOperandNumber(), result);
    if (isSafe)
      return index;
  }
  return std::nullopt;
}

void BufferPlanner::assign(Operation *op) {
  if (isAlias(op)) {
    bufferOf[op->getResult(0)] = bufferOf.lookup(op->getOperand(0));
    return;
  }
  llvm::DenseSet<size_t> written;
  for (auto [i, value] : llvm::enumerate(op->getResults())) {
    int64_t last = std::max(lastUse.lookup(value), time[op]);
    std::optional<size_t> reused = findDonatedBuffer(op, i);
    if (reused)
      taken.insert(*reused);
    else
      reused = findBufferInPlace(op, i);
    if (reused && written.contains(*reused))
      reused.reset();
    if (reused) {
      written.insert(*reused);
      buffers[*reused].last = std::max(buffers[*reused].last, last);
      bufferOf[value] = *reused;
      continue;
    }
    PlannedBuffer buffer;
    buffer.bytes = bufferBytes(value.getType());
    buffer.first = time[op];
    buffer.last = last;
    buffer.isConstant = isa<stablehlo::ConstantOp>(op);
    bufferOf[value] = buffers.size();
    buffers.push_back(buffer);
  }
}

void BufferPlanner::placeTemporaries() {
  SmallVector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].offset < 0 && !buffers[i].isConstant &&
        !buffers[i].isInTable)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes
               ? buffers[a].bytes > buffers[b].bytes
               : a < b;
  });
  int64_t base = layout.arena.count(), top = base;
  SmallVector<size_t> placed; // by offset
  for (size_t index : order) {
    PlannedBuffer &buffer = buffers[index];
    int64_t size = align(buffer.bytes);
    int64_t best = -1, bestGap = 0, cursor = base;
    for (size_t other : placed) {
      const PlannedBuffer &occupied = buffers[other];
      if (occupied.last < buffer.first || buffer.last < occupied.first)
        continue;
      int64_t gap = occupied.offset - cursor;
      if (gap >= size && (best < 0 || gap < bestGap)) {
        best = cursor;
        bestGap = gap;
      }
      cursor = std::max(cursor, occupied.offset + align(occupied.bytes));
    }
    buffer.offset = best >= 0 ? best : cursor;
    top = std::max(top, buffer.offset + size);
    auto position = llvm::upper_bound(placed, buffer.offset,
                                      [&](int64_t offset, size_t other) {
                                        return offset < buffers[other].offset;
                                      });
    placed.insert(position, index);
  }
  layout.temporaries = Bytes(top - base);
  layout.arena = Bytes(top);
}

Bytes BufferPlanner::lowerBound() const {
  SmallVector<int64_t> change(endTime + 2, 0);
  for (size_t i = argumentBuffers.size(); i < buffers.size(); ++i) {
    if (buffers[i].isConstant || buffers[i].isInTable)
      continue;
    change[buffers[i].first] += align(buffers[i].bytes);
    change[buffers[i].last + 1] -= align(buffers[i].bytes);
  }
  int64_t live = 0, most = 0;
  for (int64_t step : change) {
    live += step;
    most = std::max(most, live);
  }
  return Bytes(most);
}

void BufferPlanner::record() {
  Builder builder(function.getContext());
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(
        argument.getArgNumber(), offsetAttributeName,
        builder.getI64IntegerAttr(buffers[bufferOf[argument]].offset));
  for (Operation &op : block.without_terminator()) {
    SmallVector<int64_t> offsets;
    for (Value result : op.getResults())
      offsets.push_back(buffers[bufferOf[result]].offset);
    op.setAttr(offsetsAttributeName, builder.getDenseI64ArrayAttr(offsets));
  }
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    int64_t argument = smith::replacedArgument(function, i);
    int64_t offset = argument >= 0 ? buffers[argumentBuffers[argument]].offset
                     : isCalled    ? resultOffset(i)
                                   : buffers[bufferOf[value]].offset;
    function.setResultAttr(i, offsetAttributeName,
                           builder.getI64IntegerAttr(offset));
  }
  for (auto [call, workspace] : calls)
    call->setAttr(workspaceAttributeName,
                  builder.getI64IntegerAttr(buffers[workspace].offset));
  if (isCalled)
    function->setAttr(workspaceBytesAttributeName,
                      builder.getI64IntegerAttr(layout.temporaries.count()));
  else
    function->setAttr(arenaAttributeName,
                      builder.getI64IntegerAttr(layout.arena.count()));
}

/// Refuses what cannot be laid out in bytes: types without a size, and sizes
/// whose sum leaves 64 bits.
LogicalResult BufferPlanner::check() const {
  Bytes all;
  auto addTypes = [&](Location location, TypeRange types) -> LogicalResult {
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape() ||
          !target.isElement(tensor.getElementType()))
        return emitError(location)
               << "unsupported on " << target.displayName
               << ": a value of type " << type
               << "; tensors of booleans, integers of 8 to 64 bits, f16, bf16, "
                  "f32 and f64 have a place in memory";
      all += Bytes(bufferBytes(type)) + Bytes(target.bufferAlignment);
    }
    if (all.isSaturated())
      return emitError(location, "the program's tensors exceed 2^63 bytes");
    return success();
  };
  for (BlockArgument argument : block.getArguments())
    if (failed(addTypes(argument.getLoc(), argument.getType())))
      return failure();
  for (Operation &op : block)
    if (failed(addTypes(op.getLoc(), op.getResultTypes())))
      return failure();
  return success();
}

/// Results of a called function are written where the caller wants them, each
/// buffer once; what is returned twice is copied at the end.
void BufferPlanner::claimResults() {
  if (!isCalled)
    return;
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    PlannedBuffer &buffer = buffers[bufferOf[value]];
    if (smith::replacedArgument(function, i) >= 0 || buffer.isConstant ||
        buffer.isInTable)
      continue;
    buffer.isInTable = true;
    buffer.offset = resultOffset(i);
  }
}

LogicalResult BufferPlanner::plan() {
  if (failed(check()))
    return failure();
  number();
  if (failed(placeArguments()))
    return failure();
  for (Operation &op : block.without_terminator()) {
    if (isa<smith::RepeatOp, smith::RunOp>(op) && failed(addWorkspace(&op)))
      return failure();
    assign(&op);
  }
  claimResults();
  layout.temporariesLowerBound = lowerBound();
  placeTemporaries();
  return success();
}

/// The function is planned at its first call.
LogicalResult BufferPlanner::addWorkspace(Operation *op) {
  func::FuncOp callee = smith::getCallee(op);
  if (!callee.getBody().hasOneBlock())
    return callee.emitError() << "'@" << callee.getName()
                              << "' needs a body of one block for its buffers "
                                 "to be planned";
  if (!callee->hasAttr(workspaceBytesAttributeName) &&
      failed(BufferPlanner(callee, target, /*isCalled=*/true).run()))
    return failure();
  PlannedBuffer workspace;
  workspace.bytes =
      callee->getAttrOfType<IntegerAttr>(workspaceBytesAttributeName).getInt();
  workspace.first = workspace.last = time[op];
  calls.push_back({op, buffers.size()});
  buffers.push_back(workspace);
  return success();
}

FailureOr<ProgramLayout> BufferPlanner::run() {
  if (failed(plan()))
    return failure();
  record();
  return layout;
}

} // namespace

FailureOr<ProgramLayout> planBuffers(func::FuncOp function,
                                     const TargetTraits &target) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "'@" << function.getName()
           << "' needs a body of one block for its buffers to be planned";
  return BufferPlanner(function, target).run();
}

} // namespace lower

namespace {

struct PlanBuffers : impl::PlanBuffersBase<PlanBuffers> {
  using PlanBuffersBase::PlanBuffersBase;

  void runOnOperation() override {
    llvm::DenseSet<StringAttr> called;
    getOperation().walk([&](Operation *op) {
      if (isa<smith::RepeatOp, smith::RunOp>(op))
        called.insert(smith::getCallee(op).getSymNameAttr());
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool isSignature =
          function.isExternal() && !lower::rankFunctions(function).empty();
      if (called.contains(function.getSymNameAttr()) || isSignature)
        continue;
      const lower::TargetTraits *traits = lower::findTarget(function, target);
      if (!traits || failed(lower::planBuffers(function, *traits)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace shardsmith
