// SPDX-License-Identifier: Apache-2.0

#include "Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cpu {

static Value addressOf(ImplicitLocOpBuilder &builder, Type stored,
                       const Buffer &buffer, Value position) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type type = pointer;
  if (auto positions = dyn_cast<VectorType>(position.getType()))
    type = positions.clone(pointer);
  return LLVM::GEPOp::create(builder, type, stored, buffer.pointer,
                             LLVM::GEPArg(position));
}

/// The address of the first lane.
static Value startAddress(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                          Type stored, const Buffer &buffer,
                          LaneIndex position) {
  position.stride = 0;
  return addressOf(builder, stored, buffer, lanes.scalar(position));
}

Value loadElements(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                   const Buffer &buffer, Type element,
                   const LaneIndex &position) {
  Type stored = storageType(element);
  unsigned alignment = storageBytes(element);
  bool contiguous = !position.positions && position.stride == 1;
  if (position.isUniform() || contiguous) {
    Value address = startAddress(builder, lanes, stored, buffer, position);
    Type type = contiguous ? withLanes(stored, lanes.laneCount()) : stored;
    auto load = LLVM::LoadOp::create(builder, type, address, alignment);
    load.setAliasScopesAttr(buffer.scopes);
    load.setNoaliasScopesAttr(buffer.otherScopes);
    return fromStorage(builder, load, element);
  }
  Value positions = lanes.vector(position, builder.getI64Type());
  Value addresses = addressOf(builder, stored, buffer, positions);
  auto maskType = VectorType::get({lanes.laneCount()}, builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(maskType, true));
  Value gathered = LLVM::masked_gather::create(
      builder, VectorType::get({lanes.laneCount()}, stored), addresses, mask,
      ValueRange{}, alignment);
  return fromStorage(builder, gathered, element);
}

void storeElements(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                   const Buffer &buffer, Type element,
                   const LaneIndex &position, Value value) {
  assert((position.isUniform() || position.stride == 1) &&
         "results are written consecutively");
  Type stored = storageType(element);
  if (!position.isUniform())
    value = spread(builder, value, lanes.laneCount());
  Value address = startAddress(builder, lanes, stored, buffer, position);
  auto store =
      LLVM::StoreOp::create(builder, toStorage(builder, value, element),
                            address, storageBytes(element));
  store.setAliasScopesAttr(buffer.scopes);
  store.setNoaliasScopesAttr(buffer.otherScopes);
}

Value BufferTable::load(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                        Value tensor, const LaneIndex &position) const {
  return loadElements(builder, lanes, buffers.at(tensor),
                      getElementTypeOrSelf(tensor.getType()), position);
}

} // namespace shardsmith::cpu
