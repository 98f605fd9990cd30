// SPDX-License-Identifier: Apache-2.0

#include "SortEmitter.h"

#include "../Elements/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cpu {

std::string whyNotSort(stablehlo::SortOp sort) {
  if (sort->getNumOperands() > SMITH_SORT_MAX_TENSORS)
    return "sort of " + std::to_string(sort->getNumOperands()) +
           " tensors at once, at most " +
           std::to_string(SMITH_SORT_MAX_TENSORS) + " are possible";
  for (Operation &op : sort.getComparator().front()) {
    bool isLast = op.hasTrait<OpTrait::IsTerminator>();
    if (!isLast && !findElementRule(&op))
      return ("sort with " + op.getName().getStringRef() + " in its body")
          .str();
    for (Value operand : op.getOperands())
      if (operand.getParentRegion() != &sort.getComparator() &&
          !operand.getDefiningOp<stablehlo::ConstantOp>())
        return "sort whose body reads a value from outside";
  }
  for (Type type : sort->getOperandTypes())
    if (!isSupportedElement(getElementTypeOrSelf(type))) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "sort of " << getElementTypeOrSelf(type);
      return text;
    }
  return "";
}

smith_sort describeSort(stablehlo::SortOp sort) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(sort.getOperandTypes().front()).getShape();
  auto dimension = static_cast<int64_t>(sort.getDimension());
  if (dimension < 0)
    dimension += static_cast<int64_t>(shape.size());
  smith_sort lines = {};
  lines.count = static_cast<int32_t>(sort->getNumOperands());
  lines.outer = lines.length = lines.inner = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (static_cast<int64_t>(d) == dimension)
      lines.length = size;
    else
      (static_cast<int64_t>(d) < dimension ? lines.outer : lines.inner) *= size;
  }
  return lines;
}

LLVM::LLVMFuncOp emitComparator(OpBuilder &moduleBuilder,
                                stablehlo::SortOp sort, StringRef name) {
  ImplicitLocOpBuilder builder(sort.getLoc(), moduleBuilder);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type number = builder.getI64Type();
  auto function = LLVM::LLVMFuncOp::create(
      builder, name,
      LLVM::LLVMFunctionType::get(builder.getI32Type(),
                                  {pointer, number, number}),
      LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  BufferTable noBuffers;
  ElementEmitter emitter(builder, /*laneCount=*/1, noBuffers, noHook);
  SmallVector<Value> elements;
  for (auto [i, input] : llvm::enumerate(sort.getInputs())) {
    Value slot =
        LLVM::GEPOp::create(builder, pointer, pointer, entry->getArgument(0),
                            LLVM::GEPArg(static_cast<int32_t>(i)));
    Buffer buffer{LLVM::LoadOp::create(builder, pointer, slot), {}, {}};
    for (unsigned side : {1, 2})
      elements.push_back(loadElements(builder, emitter.arithmetic, buffer,
                                      getElementTypeOrSelf(input),
                                      LaneIndex::at(entry->getArgument(side))));
  }
  Value isBefore = emitter.emitBody(sort.getComparator(), elements).front();
  Value answer =
      arith::ExtUIOp::create(builder, builder.getI32Type(), isBefore);
  LLVM::ReturnOp::create(builder, answer);
  return function;
}

} // namespace shardsmith::cpu
