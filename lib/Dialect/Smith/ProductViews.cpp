// SPDX-License-Identifier: Apache-2.0

#include "ProductViews.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace shardsmith::smith {

LogicalResult verifyView(Operation *op, StringRef name, Type tensor,
                         int64_t offset, ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> strides) {
  if (strides.size() != sizes.size())
    return op->emitOpError()
           << name << " has " << strides.size() << " strides for "
           << sizes.size() << " dimensions";
  std::optional<int64_t> last = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size < 1 || stride < 0)
      return op->emitOpError()
             << name << " has size " << size << " with stride " << stride;
    if (last)
      last = llvm::checkedMulAdd(size - 1, stride, *last);
  }
  if (!last)
    return op->emitOpError() << name << " reaches elements beyond any number";
  auto type = cast<RankedTensorType>(tensor);
  if (offset < 0 || !type.hasStaticShape() || *last >= type.getNumElements())
    return op->emitOpError()
           << name << " reaches element " << *last << " of " << type;
  return success();
}

} // namespace shardsmith::smith
