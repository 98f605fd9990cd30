// SPDX-License-Identifier: Apache-2.0
// Side effects and symbol uses of calls.

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

void CustomCallOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

namespace {

LogicalResult verifyCallee(Operation *op, SymbolTableCollection &symbols,
                           FlatSymbolRefAttr callee, StringRef role) {
  if (symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, callee))
    return success();
  return op->emitOpError() << role << ' ' << callee << " is not a function";
}

} // namespace

LogicalResult CustomCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getCalledComputations())
    return success();
  for (auto callee : getCalledComputations()->getAsRange<FlatSymbolRefAttr>())
    if (failed(verifyCallee(*this, symbols, callee, "called computation")))
      return failure();
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyCallee(*this, symbols, getDecompositionAttr(),
                          "decomposition")))
    return failure();
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (TypeRange(function.getArgumentTypes()) != getOperandTypes() ||
      TypeRange(function.getResultTypes()) != getResultTypes())
    return emitOpError() << "has type (" << getOperandTypes() << ") -> ("
                         << getResultTypes() << "), but its decomposition "
                         << getDecompositionAttr() << " has type "
                         << function.getFunctionType();
  return success();
}
