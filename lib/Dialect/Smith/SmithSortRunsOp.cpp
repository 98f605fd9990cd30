// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/SortRunsOp.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithSortRunsOp.cpp.inc"

namespace shardsmith::smith {

/// Two scalars of each operand go in, a boolean comes out.
static LogicalResult verifyComparator(SortRunsOp op) {
  SmallVector<Type> expected;
  for (Type type : op.getInputs().getTypes())
    expected.append(2, RankedTensorType::get(
                           {}, cast<RankedTensorType>(type).getElementType()));
  Block &body = op.getComparator().front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return op.emitOpError() << "needs a comparator of (" << TypeRange(expected)
                            << "), found (" << body.getArgumentTypes() << ")";
  Type answer = RankedTensorType::get({}, IntegerType::get(op.getContext(), 1));
  Operation *last = body.empty() ? nullptr : &body.back();
  if (!last || last->getOperandTypes() != TypeRange(answer))
    return op.emitOpError() << "needs a comparator that returns " << answer;
  return success();
}

LogicalResult SortRunsOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  if (getInputs().getTypes() != getResults().getTypes())
    return emitOpError() << "needs results of the operands' types ("
                         << getInputs().getTypes() << "), found ("
                         << getResults().getTypes() << ")";
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getInputs().front().getType()).getShape();
  for (Type type : getInputs().getTypes())
    if (cast<RankedTensorType>(type).getShape() != shape)
      return emitOpError() << "needs operands of one shape, found "
                           << getInputs().getTypes();
  auto dimension = static_cast<int64_t>(getDimension());
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return emitOpError() << "sorts along dimension " << dimension << " of "
                         << shape.size();
  if (!llvm::isPowerOf2_64(getFrom()) || !llvm::isPowerOf2_64(getTo()) ||
      (getFrom() != 1 && getTo() != 2 * getFrom()))
    return emitOpError() << "makes runs of " << getTo() << " from runs of "
                         << getFrom()
                         << "; expected powers of two, from 1 or the half";
  return verifyComparator(*this);
}

} // namespace shardsmith::smith
