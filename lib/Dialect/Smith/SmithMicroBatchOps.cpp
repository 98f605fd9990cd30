// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

#include "shardsmith/Dialect/Smith/LoopNest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithMicroBatchOps.cpp.inc"

namespace shardsmith::smith {

LogicalResult MicroBatchIndexOp::verify() {
  for (auto other : (*this)->getBlock()->getOps<MicroBatchIndexOp>())
    if (other.getCount() != getCount())
      return emitOpError() << "counts " << getCount()
                           << " micro-batches: another one of this function "
                              "counts "
                           << other.getCount();
  return success();
}

FactorRule AccumulateOp::getFactorRule() {
  ArrayRef<int64_t> shape = getType().getShape();
  FactorRule rule = FactorRuleBuilder::pointwise({shape}, {shape});
  if (getKind().getValue() == ReductionKind::Sum)
    rule.linearOperandSets.push_back({0});
  return rule;
}

/// The number of the micro-batch, then the operands.
static FunctionType calleeTypeOf(Operation *op) {
  MLIRContext *context = op->getContext();
  SmallVector<Type> arguments{
      RankedTensorType::get({}, IntegerType::get(context, 32))};
  llvm::append_range(arguments, op->getOperandTypes());
  return FunctionType::get(context, arguments, op->getResultTypes());
}

/// Whether calls of the function come to the other one, sooner or later.
static bool comesTo(func::FuncOp function, func::FuncOp other,
                    SymbolTableCollection &symbols,
                    DenseSet<Operation *> &seen) {
  if (function == other)
    return true;
  if (!seen.insert(function).second || function.isExternal())
    return false;
  return llvm::any_of(function.getBody().getOps(), [&](Operation &op) {
    if (!isa<RunOp, RepeatOp>(op))
      return false;
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        &op, op.getAttrOfType<FlatSymbolRefAttr>("callee"));
    return callee && comesTo(callee, other, symbols, seen);
  });
}

static LogicalResult verifyCallee(Operation *op, FlatSymbolRefAttr name,
                                  FunctionType type,
                                  SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!function)
    return op->emitOpError()
           << "names " << name << ", which is not a function of this module";
  if (function.getFunctionType() != type)
    return op->emitOpError()
           << "names " << name << " of type " << function.getFunctionType()
           << ": expected " << type;
  DenseSet<Operation *> seen;
  if (comesTo(function, op->getParentOfType<func::FuncOp>(), symbols, seen))
    return op->emitOpError()
           << "names " << name << ", which calls the function that it is in";
  return success();
}

FunctionType RepeatOp::getCalleeType() { return calleeTypeOf(*this); }
FunctionType RunOp::getCalleeType() { return calleeTypeOf(*this); }

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TypeRange carried = getCarried().getTypes();
  if (getNumResults() < carried.size() ||
      TypeRange(getResultTypes()).take_back(carried.size()) != carried)
    return emitOpError() << "has results of types (" << getResultTypes()
                         << "): expected the last ones to be those of what it "
                            "carries, ("
                         << carried << ")";
  return verifyCallee(*this, getCalleeAttr(), getCalleeType(), symbols);
}

LogicalResult RepeatOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (TypeRange(getCarried()) != getResultTypes())
    return emitOpError() << "has results of types (" << getResultTypes()
                         << "): expected those of what it carries, ("
                         << getCarried().getTypes() << ")";
  if (std::optional<uint64_t> decider = getDecider()) {
    if (*decider >= getCarried().size() ||
        !isBoolean(getCarried()[*decider].getType()))
      return emitOpError() << "goes on while carried value " << *decider
                           << " is true: expected the position of a "
                              "tensor<i1>";
    if ((*this)->hasAttr(kCountsAttributeName))
      return emitOpError("has a number of calls per device, and a value that "
                         "decides how many there are");
  }
  return verifyCallee(*this, getCalleeAttr(), getCalleeType(), symbols);
}

bool isInMicroBatches(func::FuncOp function) {
  return !function.getOps<MicroBatchIndexOp>().empty();
}

int64_t getMicroBatchCount(func::FuncOp function) {
  int64_t count = 1;
  for (auto index : function.getOps<MicroBatchIndexOp>())
    count = index.getCount();
  return count;
}

llvm::SetVector<Operation *> findRepeatedOps(func::FuncOp function) {
  return findRepeatedOps(function.front());
}

llvm::SetVector<Operation *> findRepeatedOps(Block &block) {
  LoopNest nest(block);
  llvm::DenseSet<int64_t> loops;
  llvm::SetVector<Operation *> repeated;
  auto isRepeated = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && repeated.contains(op) && !isa<AccumulateOp>(op);
  };
  // A loop of which something is repeated is repeated as a whole.
  for (size_t before = ~size_t(0); before != loops.size();) {
    before = loops.size();
    repeated.clear();
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        break;
      LoopChain chain = nest.loopsOf(&op);
      bool isInLoop = !chain.empty() && loops.contains(chain.front());
      if (!isa<MicroBatchIndexOp, AccumulateOp>(op) && !isInLoop &&
          llvm::none_of(op.getOperands(), isRepeated))
        continue;
      repeated.insert(&op);
      if (!chain.empty())
        loops.insert(chain.front());
    }
  }
  return repeated;
}

func::FuncOp getCallee(Operation *op) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
}

} // namespace shardsmith::smith
