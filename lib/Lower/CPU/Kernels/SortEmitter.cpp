// SPDX-License-Identifier: Apache-2.0

#include "SortEmitter.h"

#include "../Elements/Storage.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/Lower/Common/Elements/SortShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cpu {

std::string whyNotSort(stablehlo::SortOp sort) {
  if (sort->getNumOperands() > SMITH_SORT_MAX_TENSORS)
    return "sort of " + std::to_string(sort->getNumOperands()) +
           " tensors at once, at most " +
           std::to_string(SMITH_SORT_MAX_TENSORS) + " are possible";
  auto hasRule = [](Operation *op) { return findElementRule(op) != nullptr; };
  return lower::whyNotSorted(sort->getOperandTypes(), sort.getComparator(),
                             hasRule, cpuTarget());
}

smith_sort describeSort(stablehlo::SortOp sort) {
  lower::SortLines shape =
      lower::sortLines(sort.getOperandTypes().front(),
                       static_cast<int64_t>(sort.getDimension()));
  smith_sort lines = {};
  lines.count = static_cast<int32_t>(sort->getNumOperands());
  lines.outer = shape.outer;
  lines.length = shape.length;
  lines.inner = shape.inner;
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
