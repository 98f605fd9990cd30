// SPDX-License-Identifier: Apache-2.0

#include "ProductViews.h"
#include "shardsmith/Dialect/Smith/Smith.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith::smith {
namespace {

/// A boundary of a kernel reinterprets a buffer: same element type and number
/// of elements.
bool isSameBuffer(Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a);
  auto second = dyn_cast<RankedTensorType>(b);
  return first && second && first.hasStaticShape() && second.hasStaticShape() &&
         first.getElementType() == second.getElementType() &&
         first.getNumElements() == second.getNumElements();
}

} // namespace

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  int64_t rank = getDomain().size();
  int64_t previous = -1;
  for (int64_t d : getReduced()) {
    if (d <= previous || d >= rank)
      return emitOpError("reduced dimensions must increase and lie in the "
                         "domain");
    previous = d;
  }
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "has " << getInputs().size() << " inputs but "
                         << block.getNumArguments() << " body arguments";
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (!isSameBuffer(input.getType(), block.getArgument(i).getType()))
      return emitOpError() << "input " << i << " is " << input.getType()
                           << " but the body expects "
                           << block.getArgument(i).getType();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != getNumResults())
    return emitOpError() << "has " << getNumResults() << " results but yields "
                         << yield->getNumOperands();
  for (auto [i, result] : llvm::enumerate(getResults()))
    if (!isSameBuffer(result.getType(), yield->getOperand(i).getType()))
      return emitOpError() << "result " << i << " is " << result.getType()
                           << " but the body yields "
                           << yield->getOperand(i).getType();
  return success();
}

LogicalResult GemmOp::verify() { return verifyProduct(*this); }

} // namespace shardsmith::smith
