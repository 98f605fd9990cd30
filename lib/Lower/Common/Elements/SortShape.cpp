// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/SortShape.h"

#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

using namespace mlir;

namespace shardsmith::lower {

SortLines sortLines(Type tensor, int64_t dimension) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor).getShape();
  if (dimension < 0)
    dimension += static_cast<int64_t>(shape.size());
  SortLines lines;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (static_cast<int64_t>(d) == dimension)
      lines.length = size;
    else
      (static_cast<int64_t>(d) < dimension ? lines.outer : lines.inner) *= size;
  }
  return lines;
}

std::string whyNotSorted(TypeRange tensors, Region &comparator,
                         llvm::function_ref<bool(Operation *)> hasEmitter,
                         const TargetTraits &target) {
  for (Operation &op : comparator.front()) {
    bool isLast = op.hasTrait<OpTrait::IsTerminator>();
    if (!isLast && !hasEmitter(&op)) {
      // Types are named where the target has the op with others.
      std::string types = findElementOp(&op) ? typesToBlame(&op, target) : "";
      return "sort with " + op.getName().getStringRef().str() + types +
             " in its body";
    }
    for (Value operand : op.getOperands())
      if (operand.getParentRegion() != &comparator &&
          !operand.getDefiningOp<stablehlo::ConstantOp>())
        return "sort whose body reads a value from outside";
  }
  for (Type type : tensors)
    if (Type element = getElementTypeOrSelf(type); !target.isElement(element)) {
      std::string text;
      llvm::raw_string_ostream(text) << "sort of " << element;
      return text;
    }
  return "";
}

} // namespace shardsmith::lower
