// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Sdy/Sdy.h"

#include "SdyText.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "shardsmith/Dialect/Sdy/SdyDialect.cpp.inc"
#include "shardsmith/Dialect/Sdy/SdyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Sdy/SdyAttributes.cpp.inc"

namespace shardsmith::sdy {

void SdyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardsmith/Dialect/Sdy/SdyAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Sdy/SdyOps.cpp.inc"
      >();
}

namespace {

/// Emits an error unless `attribute` is one sharding that fits `type`.
LogicalResult verifyOneSharding(Operation *function, NamedAttribute attribute,
                                Type type, const Twine &what) {
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return function->emitOpError(what)
           << " has '" << kShardingAttributeName
           << "' of another kind than #sdy.sharding<…>";
  return verifySharding(sharding, type, function, what);
}

bool isSharding(NamedAttribute attribute) {
  return attribute.getName() == kShardingAttributeName;
}

} // namespace

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!isSharding(attribute) || !function)
    return success();
  return verifyOneSharding(op, attribute, function.getArgumentTypes()[argIndex],
                           "argument " + Twine(argIndex));
}

LogicalResult
SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!isSharding(attribute) || !function)
    return success();
  return verifyOneSharding(op, attribute,
                           function.getResultTypes()[resultIndex],
                           "result " + Twine(resultIndex));
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (!isSharding(attribute))
    return success();
  auto perValue = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
  if (!perValue)
    return op->emitOpError("has '")
           << kShardingAttributeName
           << "' of another kind than #sdy.sharding_per_value<[…]>";
  if (perValue.size() != op->getNumResults())
    return op->emitOpError("has ") << op->getNumResults() << " results but "
                                   << perValue.size() << " shardings";
  for (auto [index, sharding] : llvm::enumerate(perValue.getShardings()))
    if (failed(verifySharding(sharding, op->getResult(index).getType(), op,
                              "result " + Twine(index))))
      return failure();
  return success();
}

} // namespace shardsmith::sdy
