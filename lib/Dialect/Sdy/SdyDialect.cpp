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

constexpr StringLiteral edgesMnemonic = "propagation_edges";

} // namespace

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef text = parser.getFullSymbolSpec();
  if (text.consume_front(edgesMnemonic) && text.starts_with("<"))
    return PropagationEdgesAttr::get(getContext(), text);
  StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    return attribute;
  parser.emitError(parser.getNameLoc())
      << "unknown attribute '#sdy." << mnemonic << "'";
  return nullptr;
}

void SdyDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  if (auto edges = dyn_cast<PropagationEdgesAttr>(attribute))
    printer << edgesMnemonic << edges.getText();
  else
    (void)generatedAttributePrinter(attribute, printer);
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
  // An op without results may say on which device it runs.
  if (op->getNumResults() == 0 && perValue.size() == 1)
    if (MeshAttr mesh = perValue.getShardings().front().getMesh(op))
      if (mesh.isMaximal())
        return success();
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
