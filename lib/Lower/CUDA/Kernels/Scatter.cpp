// SPDX-License-Identifier: Apache-2.0
//
// Updates may collide, and are to be applied in their order in every run. So
// threads share out places of the result, not updates: a thread owns one group
// of columns in every `parts`-th row, and goes through all updates:
//
//     thread (part, columns):
//       for every update:                        serial
//         if its row % parts == part:            result[row, columns] = body(…)
//
// All threads of a warp read the same index, which the cache gives to them at
// once. Where windows are not whole rows, a row is a single element.

#include "DeviceKernel.h"

#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Threads that are enough to occupy a device.
constexpr int64_t enoughThreads = 64 * 1024;

class ScatterNest {
public:
  ScatterNest(DeviceKernel &device, stablehlo::ScatterOp scatter)
      : device(device), builder(device.builder), scatter(scatter),
        shape(scatter) {}
  void emit();

private:
  void nest(ArrayRef<int64_t> dimensions, LaneIndices &index);
  void update(ArrayRef<LaneIndex> index);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  stablehlo::ScatterOp scatter;
  ScatterShape shape;
  int64_t lanes = 1, rowSize = 1, parts = 1;
  Value part;
};

void ScatterNest::nest(ArrayRef<int64_t> dimensions, LaneIndices &index) {
  if (dimensions.empty())
    return update(index);
  int64_t d = dimensions.front();
  device.loop(device.constant(0), device.constant(shape.updates[d]), 1, {},
              [&](Value position, ValueRange) {
                index[d] = LaneIndex::at(position);
                nest(dimensions.drop_front(), index);
                return SmallVector<Value>();
              });
}

void ScatterNest::update(ArrayRef<LaneIndex> index) {
  auto noHook = [](ElementEmitter &, Value, ArrayRef<LaneIndex>) -> Value {
    return {};
  };
  ElementEmitter emitter(builder, lanes, device.memory, noHook);
  LaneArithmetic &arithmetic = emitter.arithmetic;
  ScatterPlace target = placeOf(emitter, scatter, shape, index);
  LaneIndex place = arithmetic.linearize(target.position, shape.operand);
  Value isOwn;
  if (parts > 1) {
    LaneIndices rowPosition(target.position);
    ArrayRef<int64_t> sizes = shape.operand;
    if (rowSize > 1) {
      rowPosition.pop_back();
      sizes = sizes.drop_back();
    }
    LaneArithmetic scalars(builder, 1);
    Value row = scalars.scalar(scalars.linearize(rowPosition, sizes));
    Value owner = arith::RemUIOp::create(builder, row, device.constant(parts));
    isOwn =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, owner, part);
  }
  device.guarded(device.both(target.inside, isOwn), [&] {
    Value result = device.buffer(2);
    Type element = getElementTypeOrSelf(scatter.getInputs().front());
    Value old =
        DeviceMemory::loadFrom(builder, arithmetic, result, element, place);
    Value added = emitter.emit(scatter.getUpdates().front(), index);
    Value next =
        emitter.emitBody(scatter.getUpdateComputation(), {old, added}).front();
    DeviceMemory::store(builder, arithmetic, result, element, place, next);
  });
}

void ScatterNest::emit() {
  device.memory.add(scatter.getScatterIndices(), device.buffer(0));
  device.memory.add(scatter.getUpdates().front(), device.buffer(1));
  int64_t elements = 1;
  for (int64_t size : shape.operand)
    elements *= size;
  if (shape.hasLanes()) {
    rowSize = shape.operand.back();
    Type element = getElementTypeOrSelf(scatter.getInputs().front());
    lanes = std::min<int64_t>(8, accessBytes / storageBytes(element));
    while (rowSize % lanes != 0)
      lanes /= 2;
  }
  int64_t columnGroups = rowSize / lanes;
  parts =
      std::clamp<int64_t>(enoughThreads / columnGroups, 1, elements / rowSize);
  int64_t units = parts * columnGroups;
  int64_t threads = std::min<int64_t>(
      usualThreads, static_cast<int64_t>(llvm::alignTo(units, warpSize)));
  device.launch(ceilDivide(units, threads), threads);
  Value unit = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, device.block, device.constant(threads)),
      device.thread);
  Value isInside = units % threads == 0 ? Value() : device.isBelow(unit, units);
  device.guarded(isInside, [&] {
    LaneArithmetic scalars(builder, 1);
    auto [partNumber, column] =
        scalars.divide(LaneIndex::at(unit), columnGroups);
    part = scalars.scalar(partNumber);
    LaneIndices index(shape.updates.size(), LaneIndex::constant(0));
    SmallVector<int64_t> loops(shape.scatterDimensions);
    ArrayRef<int64_t> window = shape.numbers.getUpdateWindowDims();
    if (shape.hasLanes()) {
      index.back() = scalars.times(column, lanes);
      index.back().stride = lanes > 1 ? 1 : 0;
      window = window.drop_back();
    }
    llvm::append_range(loops, window);
    nest(loops, index);
  });
}

} // namespace

void emitScatter(DeviceKernel &device, stablehlo::ScatterOp scatter) {
  ScatterNest(device, scatter).emit();
}

} // namespace shardsmith::cuda
