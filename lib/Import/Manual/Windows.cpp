// SPDX-License-Identifier: Apache-2.0
//
// Windows have one element along leading dimensions.

#include "Body.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

/// No padding of the leading dimensions, then that of the op.
DenseIntElementsAttr ledPadding(std::optional<DenseIntElementsAttr> padding,
                                size_t lead) {
  if (!padding)
    return {};
  Sizes numbers =
      led(0, 2 * lead, llvm::to_vector(padding->getValues<int64_t>()));
  auto type = RankedTensorType::get({int64_t(numbers.size() / 2), 2},
                                    padding->getElementType());
  return DenseIntElementsAttr::get(type, numbers);
}

std::optional<Sizes> ledOnes(std::optional<ArrayRef<int64_t>> numbers,
                             size_t lead) {
  if (!numbers)
    return std::nullopt;
  return led(1, lead, *numbers);
}

} // namespace

LogicalResult expandWindows(Body &body, ReduceWindowOp op, const Axes &axes) {
  if (!body.axesOf(op.getInitValues()).empty())
    return body.refuse(op, "whose initial value differs between devices");
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getInputs(), [&](Value local) { return body.get(local, axes); });
  llvm::append_range(operands, body.valuesOf(op.getInitValues()));
  auto copy = cast<ReduceWindowOp>(body.rebuild(op, operands, axes));
  size_t lead = axes.size();
  copy.setWindowDimensions(led(1, lead, op.getWindowDimensions()));
  copy.setWindowStrides(ledOnes(op.getWindowStrides(), lead));
  copy.setBaseDilations(ledOnes(op.getBaseDilations(), lead));
  copy.setWindowDilations(ledOnes(op.getWindowDilations(), lead));
  copy.setPaddingAttr(ledPadding(op.getPadding(), lead));
  return success();
}

LogicalResult expandWindows(Body &body, SelectAndScatterOp op,
                            const Axes &axes) {
  if (!body.get(op.getInitValue()).axes.empty())
    return body.refuse(op, "whose initial value differs between devices");
  Value operands[] = {body.get(op.getOperand(), axes),
                      body.get(op.getSource(), axes),
                      body.get(op.getInitValue()).value};
  auto copy = cast<SelectAndScatterOp>(body.rebuild(op, operands, axes));
  size_t lead = axes.size();
  copy.setWindowDimensions(ledOnes(op.getWindowDimensions(), lead));
  copy.setWindowStrides(ledOnes(op.getWindowStrides(), lead));
  copy.setPaddingAttr(ledPadding(op.getPadding(), lead));
  return success();
}

} // namespace shardsmith::manual
