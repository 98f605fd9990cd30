// SPDX-License-Identifier: Apache-2.0

#include "SizeLimits.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool isTooLarge(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    if (size == 0)
      return false;
    std::optional<int64_t> product = checkedMultiply(count, size);
    // Later sizes may be zero, but no count on the way may be absurd either.
    if (!product || *product > mostElements)
      return true;
    count = *product;
  }
  return false;
}

LogicalResult check(Location location, TypeRange types) {
  for (Type type : types)
    if (isTooLarge(type))
      return emitError(location)
             << "a " << type << " has more than " << mostElements
             << " (2^56) elements; export the model with smaller sizes";
  return success();
}

} // namespace

LogicalResult checkSizes(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(check(argument.getLoc(), argument.getType())))
            return WalkResult::interrupt();
    return WalkResult(check(op->getLoc(), op->getResultTypes()));
  });
  return failure(result.wasInterrupted());
}

} // namespace shardsmith
