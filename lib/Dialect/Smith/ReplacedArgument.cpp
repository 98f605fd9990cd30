// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/ReplacedArgument.h"

#include "shardsmith/Dialect/Smith/Smith.h"

using namespace mlir;

namespace shardsmith::smith {

int64_t replacedArgument(func::FuncOp function, unsigned index) {
  auto name =
      function.getResultAttrOfType<StringAttr>(index, kNameAttributeName);
  auto role =
      function.getResultAttrOfType<StringAttr>(index, kRoleAttributeName);
  if (!name || !role || (role != "param" && role != "state"))
    return -1;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttrOfType<StringAttr>(i, kNameAttributeName) == name)
      return i;
  return -1;
}

} // namespace shardsmith::smith
