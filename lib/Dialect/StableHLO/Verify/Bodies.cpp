// SPDX-License-Identifier: Apache-2.0

#include "Bodies.h"

using namespace mlir;

namespace shardsmith::stablehlo {

RankedTensorType scalarOf(Type tensor) {
  return RankedTensorType::get({},
                               cast<RankedTensorType>(tensor).getElementType());
}

LogicalResult checkArguments(const Reporter &report, Region &region,
                             StringRef name, TypeRange types) {
  TypeRange found = region.front().getArgumentTypes();
  if (areCompatibleTypes(found, types))
    return success();
  return report("needs ", name, " to take (", types, "), found (", found, ")");
}

LogicalResult checkReturn(const Reporter &report, Region &region,
                          StringRef name, TypeRange types) {
  Block &block = region.front();
  auto terminator =
      block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!terminator)
    return report("needs ", name, " to end in stablehlo.return");
  TypeRange found = terminator.getOperandTypes();
  if (areCompatibleTypes(found, types))
    return success();
  return report("needs ", name, " to return (", types, "), found (", found,
                ")");
}

LogicalResult checkCombiner(const Reporter &report, Region &region,
                            StringRef name, TypeRange results) {
  SmallVector<Type> returned;
  for (Type result : results)
    returned.push_back(scalarOf(result));
  SmallVector<Type> arguments(returned);
  llvm::append_range(arguments, returned);
  if (failed(checkArguments(report, region, name, arguments)))
    return failure();
  return checkReturn(report, region, name, returned);
}

} // namespace shardsmith::stablehlo
