// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

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

FunctionType RepeatOp::getCalleeType() {
  SmallVector<Type> arguments{
      RankedTensorType::get({}, IntegerType::get(getContext(), 32))};
  llvm::append_range(arguments, getShared().getTypes());
  llvm::append_range(arguments, getCarried().getTypes());
  return FunctionType::get(getContext(), arguments, getResultTypes());
}

LogicalResult RepeatOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (TypeRange(getCarried()) != getResultTypes())
    return emitOpError() << "has results of types (" << getResultTypes()
                         << "): expected those of what it carries, ("
                         << getCarried().getTypes() << ")";
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError() << "names " << getCalleeAttr()
                         << ", which is not a function of this module";
  if (function.getFunctionType() != getCalleeType())
    return emitOpError() << "names " << getCalleeAttr() << " of type "
                         << function.getFunctionType() << ": expected "
                         << getCalleeType();
  return success();
}

int64_t getMicroBatchCount(func::FuncOp function) {
  int64_t count = 1;
  for (auto index : function.getOps<MicroBatchIndexOp>())
    count = index.getCount();
  return count;
}

llvm::SetVector<Operation *> findRepeatedOps(func::FuncOp function) {
  llvm::SetVector<Operation *> repeated;
  auto isRepeated = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && repeated.contains(op) && !isa<AccumulateOp>(op);
  };
  for (Operation &op : function.front().without_terminator())
    if (isa<MicroBatchIndexOp, AccumulateOp>(op) ||
        llvm::any_of(op.getOperands(), isRepeated))
      repeated.insert(&op);
  return repeated;
}

func::FuncOp getCallee(RepeatOp op) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op,
                                                            op.getCalleeAttr());
}

} // namespace shardsmith::smith
