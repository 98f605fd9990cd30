// SPDX-License-Identifier: Apache-2.0

#include "DeviceMemory.h"

#include "shardsmith/Lower/Common/BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace shardsmith::cuda {

Type deviceStorage(Type element) {
  return element.isBF16() ? element : storageType(element);
}

MemRefType deviceBuffer(RankedTensorType tensor) {
  return MemRefType::get({tensor.getNumElements()},
                         deviceStorage(tensor.getElementType()));
}

static Value fromDevice(ImplicitLocOpBuilder &builder, Value stored,
                        Type element) {
  if (!element.isBF16())
    return fromStorage(builder, stored, element);
  Type type = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(stored.getType()))
    type = vector.clone(type);
  return arith::ExtFOp::create(builder, type, stored);
}

static Value toDevice(ImplicitLocOpBuilder &builder, Value value,
                      Type element) {
  if (!element.isBF16())
    return toStorage(builder, value, element);
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::TruncFOp::create(builder, type, value);
}

Value asIndex(ImplicitLocOpBuilder &builder, Value position) {
  return arith::IndexCastOp::create(builder, builder.getIndexType(), position);
}

/// The position of the first lane.
static Value firstPosition(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                           LaneIndex position) {
  position.stride = 0;
  return asIndex(builder, lanes.scalar(position));
}

static bool isOneAccess(LaneArithmetic &lanes, const LaneIndex &position) {
  return !position.positions && position.stride == 1 &&
         lanes.alignment(position) % lanes.laneCount() == 0;
}

static Value lanePosition(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                          LaneIndex position, int64_t lane) {
  if (position.positions)
    return asIndex(
        builder, vector::ExtractOp::create(builder, position.positions, lane));
  position.offset += lane * position.stride;
  return firstPosition(builder, lanes, position);
}

Value DeviceMemory::loadFrom(ImplicitLocOpBuilder &builder,
                             LaneArithmetic &lanes, Value buffer, Type element,
                             const LaneIndex &position) {
  Type stored = deviceStorage(element);
  if (position.isUniform()) {
    Value load = memref::LoadOp::create(
        builder, buffer, firstPosition(builder, lanes, position));
    return fromDevice(builder, load, element);
  }
  auto type = VectorType::get({lanes.laneCount()}, stored);
  if (isOneAccess(lanes, position)) {
    int64_t bytes =
        std::min(accessBytes, lanes.laneCount() * storageBytes(element));
    Value load = vector::LoadOp::create(
        builder, type, buffer, firstPosition(builder, lanes, position),
        /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    return fromDevice(builder, load, element);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.laneCount(); ++lane)
    elements.push_back(memref::LoadOp::create(
        builder, buffer, lanePosition(builder, lanes, position, lane)));
  return fromDevice(builder,
                    vector::FromElementsOp::create(builder, type, elements),
                    element);
}

Value DeviceMemory::load(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                         Value tensor, const LaneIndex &position) const {
  Value buffer = buffers.at(tensor);
  Type element = getElementTypeOrSelf(tensor.getType());
  if (!active)
    return loadFrom(builder, lanes, buffer, element, position);
  int64_t count = position.isUniform() ? 1 : lanes.laneCount();
  Type type = withLanes(registerType(element), count);
  auto branch = scf::IfOp::create(builder, type, active, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder,
                       loadFrom(builder, lanes, buffer, element, position));
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, zero);
  return branch.getResult(0);
}

void DeviceMemory::store(ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                         Value buffer, Type element, const LaneIndex &position,
                         Value value) {
  if (position.isUniform()) {
    memref::StoreOp::create(builder, toDevice(builder, value, element), buffer,
                            firstPosition(builder, lanes, position));
    return;
  }
  Value stored =
      toDevice(builder, spread(builder, value, lanes.laneCount()), element);
  if (isOneAccess(lanes, position)) {
    int64_t bytes =
        std::min(accessBytes, lanes.laneCount() * storageBytes(element));
    vector::StoreOp::create(builder, stored, buffer,
                            firstPosition(builder, lanes, position),
                            /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    return;
  }
  for (int64_t lane = 0; lane < lanes.laneCount(); ++lane)
    memref::StoreOp::create(
        builder, vector::ExtractOp::create(builder, stored, lane), buffer,
        lanePosition(builder, lanes, position, lane));
}

} // namespace shardsmith::cuda
