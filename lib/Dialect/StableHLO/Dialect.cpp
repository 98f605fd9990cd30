// SPDX-License-Identifier: Apache-2.0

#include "OpModel.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "shardsmith/Dialect/StableHLO/Dialect.cpp.inc"

using namespace mlir;
using namespace shardsmith::stablehlo;

void StableHLODialect::initialize() {
  registerAttributes();
  registerTypes();
  insertOps<
#define GET_OP_LIST
#include "shardsmith/Dialect/StableHLO/Ops.cpp.inc"
      >(*this);
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}
