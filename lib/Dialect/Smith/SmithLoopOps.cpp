// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/LoopOps.h"

#include "shardsmith/Interfaces/WorkModel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithLoopOps.cpp.inc"

namespace shardsmith::smith {
namespace {

/// All operands as the result. Booleans are known to every device: one of them
/// may decide a loop.
FactorRule identityRule(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<ArrayRef<int64_t>, 2> operands(op->getNumOperands(),
                                             type.getShape());
  FactorRule rule = FactorRuleBuilder::pointwise(operands, {type.getShape()});
  if (!type.getElementType().isInteger(1))
    rule.linearOperandSets.push_back(
        llvm::to_vector<2>(llvm::seq<unsigned>(0, op->getNumOperands())));
  return rule;
}

/// Elements go in or out of dimension 0 of `stacked`, which stays whole.
FactorRule stackRule(ArrayRef<int64_t> stacked, bool isOperand) {
  FactorRuleBuilder builder(1, 1);
  if (isOperand)
    builder.add(stacked[0], {{0, 0}}, {}, FactorKind::NeedReplication);
  else
    builder.add(stacked[0], {}, {{0, 0}}, FactorKind::NeedReplication);
  for (unsigned dim = 1; dim < stacked.size(); ++dim) {
    unsigned inElement = dim - 1;
    builder.add(stacked[dim], {{0, isOperand ? dim : inElement}},
                {{0, isOperand ? inElement : dim}});
  }
  builder.addLinearSet({0});
  return builder.build();
}

/// Copies one element of the stack.
OpWork copyOf(RankedTensorType element) {
  OpWork work;
  work.kind = OpWork::Kind::Standalone;
  work.read = work.written = bytesOf(element);
  return work;
}

OpWork nothing() {
  OpWork work;
  work.kind = OpWork::Kind::Free;
  return work;
}

LogicalResult verifyStack(Operation *op, RankedTensorType stacked,
                          RankedTensorType element, int64_t count) {
  SmallVector<int64_t> expected{count};
  llvm::append_range(expected, element.getShape());
  auto type = RankedTensorType::get(expected, element.getElementType());
  if (stacked != type)
    return op->emitOpError()
           << "stacks " << count << " values of type " << element << " as "
           << stacked << ": expected " << type;
  return success();
}

} // namespace

FactorRule LoopEnterOp::getFactorRule() { return identityRule(*this); }
FactorRule LoopCarryOp::getFactorRule() { return identityRule(*this); }
FactorRule LoopNextOp::getFactorRule() { return identityRule(*this); }
FactorRule LoopSliceOp::getFactorRule() {
  return stackRule(getInput().getType().getShape(), /*isOperand=*/true);
}
FactorRule LoopStackOp::getFactorRule() {
  return stackRule(getType().getShape(), /*isOperand=*/false);
}

OpWork LoopEnterOp::getWork(ArrayRef<RankedTensorType>,
                            ArrayRef<RankedTensorType>) {
  return nothing();
}
OpWork LoopCarryOp::getWork(ArrayRef<RankedTensorType>,
                            ArrayRef<RankedTensorType>) {
  return nothing();
}
OpWork LoopNextOp::getWork(ArrayRef<RankedTensorType>,
                           ArrayRef<RankedTensorType> results) {
  return copyOf(results[0]);
}
OpWork LoopSliceOp::getWork(ArrayRef<RankedTensorType>,
                            ArrayRef<RankedTensorType> results) {
  return copyOf(results[0]);
}
OpWork LoopStackOp::getWork(ArrayRef<RankedTensorType> operands,
                            ArrayRef<RankedTensorType>) {
  return copyOf(operands[0]);
}

LogicalResult LoopCarryOp::verify() {
  bool goesAround = llvm::any_of(getResult().getUses(), [](OpOperand &use) {
    return isa<LoopNextOp>(use.getOwner()) && use.getOperandNumber() == 1;
  });
  if (!goesAround)
    return emitOpError("has no 'smith.loop_next' that says what the next "
                       "iteration gets");
  return success();
}

LogicalResult LoopNextOp::verify() {
  auto carry = getCarry().getDefiningOp<LoopCarryOp>();
  if (!carry || carry.getLoop() != getLoop() || carry.getCount() != getCount())
    return emitOpError() << "is for a value that is not the result of a "
                            "'smith.loop_carry' of loop "
                         << getLoop() << " of " << getCount();
  if (getDecides() && !isBoolean(getType()))
    return emitOpError() << "decides a loop by a " << getType()
                         << ": expected a tensor<i1>";
  if (getDecides() && getCount() == 1 && !matchPattern(getNext(), m_Zero()))
    return emitOpError("decides a loop of 1, a branch, by another value than "
                       "the constant false");
  for (Operation *user : getCarry().getUsers()) {
    auto other = dyn_cast<LoopNextOp>(user);
    if (other && other != *this && other.getCarry() == getCarry())
      return emitOpError("is for a value that another 'smith.loop_next' is "
                         "for");
  }
  return success();
}

LogicalResult LoopSliceOp::verify() {
  return verifyStack(*this, getInput().getType(), getType(), getCount());
}

LogicalResult LoopStackOp::verify() {
  return verifyStack(*this, getType(), getInput().getType(), getCount());
}

std::optional<int64_t> getMarkedLoop(Operation *op) {
  if (isa<LoopIndexOp, LoopEnterOp, LoopCarryOp, LoopNextOp, LoopSliceOp,
          LoopStackOp>(op))
    return op->getAttrOfType<IntegerAttr>("loop").getInt();
  return std::nullopt;
}

bool isBoolean(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isInteger(1);
}

bool hasLoops(Block &block) {
  return llvm::any_of(block, [](Operation &op) { return getMarkedLoop(&op); });
}

int64_t getFreeLoopNumber(Block &block) {
  int64_t number = 0;
  for (Operation &op : block)
    if (std::optional<int64_t> loop = getMarkedLoop(&op))
      number = std::max(number, *loop + 1);
  return number;
}

void eraseDeadCarries(Block &block) {
  llvm::DenseSet<Operation *> live;
  SmallVector<Operation *> pending;
  auto mark = [&](Operation *op) {
    op = op ? block.findAncestorOpInBlock(*op) : nullptr;
    if (op && live.insert(op).second)
      pending.push_back(op);
  };
  auto isKept = [](Operation *op) {
    return !isa<LoopNextOp>(op) && !isMemoryEffectFree(op);
  };
  DenseMap<int64_t, Operation *> deciders;
  for (auto next : block.getOps<LoopNextOp>())
    if (next.getDecides())
      deciders[next.getLoop()] = next;
  for (Operation &op : block)
    if (op.hasTrait<OpTrait::IsTerminator>() || isKept(&op))
      mark(&op);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (std::optional<int64_t> loop = getMarkedLoop(op))
      mark(deciders.lookup(*loop));
    llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    for (Value value : read)
      mark(value.getDefiningOp());
    if (isa<LoopCarryOp>(op))
      for (Operation *user : op->getUsers())
        if (isa<LoopNextOp>(user))
          mark(user);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!live.contains(&op)) {
      op.dropAllUses();
      op.erase();
    }
}

} // namespace shardsmith::smith
