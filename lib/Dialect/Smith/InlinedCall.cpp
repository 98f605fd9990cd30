// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/InlinedCall.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith::smith {

constexpr StringLiteral calleeName = "callee", numberName = "number";

InlinedCall::InlinedCall(MLIRContext *context, StringRef callee,
                         int64_t number) {
  Builder builder(context);
  attribute = builder.getDictionaryAttr(
      {builder.getNamedAttr(calleeName, builder.getStringAttr(callee)),
       builder.getNamedAttr(numberName, builder.getI64IntegerAttr(number))});
}

StringAttr InlinedCall::getCallee() const {
  return attribute.getAs<StringAttr>(calleeName);
}

InlinedCall readInlinedCall(Attribute value) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(value);
  if (!dictionary || dictionary.size() != 2)
    return {};
  auto callee = dictionary.getAs<StringAttr>(calleeName);
  auto number = dictionary.getAs<IntegerAttr>(numberName);
  if (!callee || callee.empty() || !number ||
      !number.getType().isSignlessInteger(64) || number.getInt() < 0)
    return {};
  return InlinedCall(dictionary);
}

} // namespace shardsmith::smith
