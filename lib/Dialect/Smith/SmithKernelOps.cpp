// SPDX-License-Identifier: Apache-2.0

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

LogicalResult verifyView(Operation *op, StringRef name, Type tensor,
                         int64_t offset, ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> strides) {
  if (strides.size() != sizes.size())
    return op->emitOpError()
           << name << " has " << strides.size() << " strides for "
           << sizes.size() << " dimensions";
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size < 1 || stride < 0)
      return op->emitOpError()
             << name << " has size " << size << " with stride " << stride;
    last += (size - 1) * stride;
  }
  auto type = cast<RankedTensorType>(tensor);
  if (offset < 0 || !type.hasStaticShape() || last >= type.getNumElements())
    return op->emitOpError()
           << name << " reaches element " << last << " of " << type;
  return success();
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

LogicalResult GemmOp::verify() {
  if (getSizes().size() != 3)
    return emitOpError("needs three sizes: m, n and k");
  int64_t m = getSizes()[0], n = getSizes()[1], k = getSizes()[2];
  auto withBatch = [&](int64_t first, int64_t second) {
    SmallVector<int64_t> sizes(getBatch());
    sizes.push_back(first);
    sizes.push_back(second);
    return sizes;
  };
  if (failed(verifyView(*this, "lhs", getLhs().getType(), getLhsOffset(),
                        withBatch(m, k), getLhsStrides())) ||
      failed(verifyView(*this, "rhs", getRhs().getType(), getRhsOffset(),
                        withBatch(k, n), getRhsStrides())) ||
      failed(verifyView(*this, "result", getType(), 0, withBatch(m, n),
                        getResultStrides())))
    return failure();
  int64_t written = 1;
  for (int64_t size : withBatch(m, n))
    written *= size;
  if (written != cast<RankedTensorType>(getType()).getNumElements())
    return emitOpError() << "writes " << written << " elements of "
                         << getType();
  return success();
}

} // namespace shardsmith::smith
