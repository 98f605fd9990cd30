// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/EraseAttributes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardsmith {

void eraseAttributes(Operation *op,
                     llvm::function_ref<bool(NamedAttribute)> isErased) {
  auto namesIn = [&](auto attributes) {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : attributes)
      if (isErased(attribute))
        names.push_back(attribute.getName());
    return names;
  };
  for (StringAttr name : namesIn(op->getDiscardableAttrs()))
    op->removeDiscardableAttr(name);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringAttr name : namesIn(function.getArgAttrs(i)))
      function.removeArgAttr(i, name);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (StringAttr name : namesIn(function.getResultAttrs(i)))
      function.removeResultAttr(i, name);
}

} // namespace shardsmith
