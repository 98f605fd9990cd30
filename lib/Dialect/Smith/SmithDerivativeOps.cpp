// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/DerivativeOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithDerivativeOps.cpp.inc"

namespace shardsmith::smith {
namespace {

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

void erase(WithDerivativeOp op) {
  op->replaceAllUsesWith(op.getValues());
  op.erase();
}

void erase(StopGradientOp op) {
  op.getResult().replaceAllUsesWith(op.getInput());
  op.erase();
}

} // namespace

FactorRule StopGradientOp::getFactorRule() {
  ArrayRef<int64_t> shape = getType().getShape();
  FactorRule rule = FactorRuleBuilder::pointwise({shape}, {shape});
  rule.linearOperandSets.push_back({0});
  return rule;
}

FunctionType WithDerivativeOp::getDerivativeType() {
  SmallVector<Type> arguments(getInputs().getTypes()), results;
  llvm::append_range(arguments, getResultTypes());
  llvm::copy_if(getInputs().getTypes(), std::back_inserter(results), isFloat);
  return FunctionType::get(getContext(), arguments, results);
}

LogicalResult
WithDerivativeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getDerivativeAttr());
  if (!function)
    return emitOpError() << "names " << getDerivativeAttr()
                         << ", which is not a function of this module";
  if (!llvm::all_of(getResultTypes(), isFloat) ||
      TypeRange(getValues()) != getResultTypes())
    return emitOpError() << "has results of types (" << getResultTypes()
                         << "): expected those of its values, all floats";
  if (function.getFunctionType() != getDerivativeType())
    return emitOpError() << "names " << getDerivativeAttr() << " of type "
                         << function.getFunctionType() << ": expected "
                         << getDerivativeType()
                         << ", from inputs and cotangents of the results to "
                            "cotangents of the inputs that are floats";
  return success();
}

void eraseDerivativeOps(func::FuncOp function) {
  function.walk([](WithDerivativeOp op) { erase(op); });
  function.walk([](StopGradientOp op) { erase(op); });
}

void eraseCustomDerivatives(ModuleOp module) {
  llvm::StringSet<> named;
  module.walk([&](WithDerivativeOp op) {
    named.insert(op.getDerivative());
    erase(op);
  });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() && named.contains(function.getName()))
      function.erase();
}

void eraseAllDerivativeOps(ModuleOp module) {
  eraseCustomDerivatives(module);
  for (auto function : module.getOps<func::FuncOp>())
    eraseDerivativeOps(function);
}

} // namespace shardsmith::smith
