// SPDX-License-Identifier: Apache-2.0

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shardsmith::cpu {

Value KernelBody::constant(int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}

SmallVector<Value> KernelBody::loop(
    Value lower, Value upper, int64_t step, ValueRange initial,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(builder, lower, upper, constant(step), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(builder, next);
  return SmallVector<Value>(loop.getResults());
}

void KernelBody::loop(Value lower, Value upper, int64_t step,
                      llvm::function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, [&](Value position, ValueRange) {
    body(position);
    return SmallVector<Value>();
  });
}

void KernelBody::store(ElementEmitter &emitter, ArrayRef<Store> stores) {
  SmallVector<Value> elements;
  for (const Store &store : stores)
    elements.push_back(
        emitter.emit(terminator()->getOperand(store.result), store.index));
  for (auto [store, element] : llvm::zip_equal(stores, elements)) {
    auto type = cast<RankedTensorType>(
        terminator()->getOperand(store.result).getType());
    storeElements(builder, emitter.arithmetic, results[store.result],
                  type.getElementType(), store.position, element);
  }
}

int64_t KernelBody::preferredLanes(int64_t size, int64_t widest) {
  // More ops keep more values alive: 32 vector registers are shared by them.
  size_t ops = llvm::range_size(kernel.getBody().front());
  int64_t lanes = ops <= 12 ? widest : ops <= 30 ? widest / 2 : widest / 4;
  return std::max<int64_t>(1, std::min(std::max<int64_t>(lanes, 16), size));
}

} // namespace shardsmith::cpu
