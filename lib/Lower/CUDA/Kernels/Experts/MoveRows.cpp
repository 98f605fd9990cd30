// SPDX-License-Identifier: Apache-2.0
//
// Rows to their slots and back. Threads take some neighbours of a row each.
//
//   unpack_rows   a thread reads the slot of its row
//   pack_rows     a block has some slots of one sample. It goes through the
//                 sample's rows, and notes for each of its slots which one it
//                 gets; slots that get none are zeros.

#include "../Integers.h"
#include "../OwnFunctions.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Slots of a block that packs.
constexpr int64_t slotsOfBlock = 32;

class MoveNest {
public:
  /// `rows` is [samples, rows, size], `packed` [parts, samples, count, size].
  MoveNest(DeviceKernel &device, Operation *op, Value rows, Value packed,
           Value slots)
      : device(device), builder(device.builder), integers(device),
        scalars(builder, 1), op(op), slots(slots), samples(shapeOf(rows)[0]),
        rows(shapeOf(rows)[1]), size(shapeOf(rows)[2]),
        parts(shapeOf(packed)[0]), count(shapeOf(packed)[2]),
        lanes(accessBytes / storageBytes(getElementTypeOrSelf(rows))) {
    while (size % lanes != 0)
      lanes /= 2;
  }
  void pack();
  void unpack();

private:
  /// Where a slot is in [parts, samples, count].
  Value placeOf(Value sample, Value slot);
  /// A slot as i64; those below zero become larger than any.
  Value slotOf(Value row);
  Value hasSlot(Value slot) { return device.isBelow(slot, parts * count); }
  /// Copies a chunk of row `from` of the operand to row `to` of the result;
  /// zeros unless the condition holds.
  void copy(Value from, Value to, Value chunk, Value condition);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  LaneArithmetic scalars;
  Operation *op;
  Value slots;
  int64_t samples, rows, size, parts, count, lanes;
};

Value MoveNest::placeOf(Value sample, Value slot) {
  Value part = integers.quotient(slot, count);
  Value line = integers.plus(integers.times(part, samples), sample);
  return integers.plus(integers.times(line, count),
                       integers.remainder(slot, count));
}

Value MoveNest::slotOf(Value row) {
  return integers.widened(
      device.memory.load(builder, scalars, slots, LaneIndex::at(row)));
}

void MoveNest::copy(Value from, Value to, Value chunk, Value condition) {
  LaneArithmetic arithmetic(builder, lanes);
  LaneIndex column = arithmetic.times(LaneIndex::at(chunk), lanes);
  column.stride = lanes > 1 ? 1 : 0;
  auto at = [&](Value row) {
    return arithmetic.plus(arithmetic.times(LaneIndex::at(row), size), column);
  };
  device.memory.active = condition;
  Value value =
      device.memory.load(builder, arithmetic, op->getOperand(0), at(from));
  device.memory.active = {};
  DeviceMemory::store(builder, arithmetic, device.buffer(2),
                      getElementTypeOrSelf(op->getResult(0)), at(to), value);
}

void MoveNest::unpack() {
  int64_t chunks = size / lanes, units = samples * rows * chunks;
  device.launch(ceilDivide(units, usualThreads), usualThreads);
  Value unit =
      integers.plus(integers.times(device.block, usualThreads), device.thread);
  Value exists =
      units % usualThreads == 0 ? Value() : device.isBelow(unit, units);
  device.guarded(exists, [&] {
    Value row = integers.quotient(unit, chunks);
    Value slot = slotOf(row);
    copy(placeOf(integers.quotient(row, rows), slot), row,
         integers.remainder(unit, chunks), hasSlot(slot));
  });
}

void MoveNest::pack() {
  int64_t tiles = ceilDivide(parts * count, slotsOfBlock);
  device.launch(samples * tiles, usualThreads);
  Type i32 = builder.getI32Type();
  Value rowOfSlot = device.shared(slotsOfBlock, i32);
  Value sample = integers.quotient(device.block, tiles);
  Value firstSlot =
      integers.times(integers.remainder(device.block, tiles), slotsOfBlock);
  Value none = device.constant(rows);
  auto note = [&](Value slot, Value row) {
    device.storeShared(rowOfSlot, slot,
                       arith::TruncIOp::create(builder, i32, row));
  };
  device.guarded(device.isBelow(device.thread, slotsOfBlock),
                 [&] { note(device.thread, none); });
  device.barrier();
  Value firstRow = integers.times(sample, rows);
  device.loop(device.thread, device.constant(rows), usualThreads, {},
              [&](Value row, ValueRange) {
                Value slot = slotOf(integers.plus(firstRow, row));
                // Slots before the block's are large as unsigned numbers.
                Value own = integers.minus(slot, firstSlot);
                Value isOwn =
                    arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                          own, device.constant(slotsOfBlock));
                device.guarded(device.both(isOwn, hasSlot(slot)),
                               [&] { note(own, row); });
                return SmallVector<Value>();
              });
  device.barrier();
  int64_t chunks = size / lanes;
  device.loop(
      device.thread, device.constant(slotsOfBlock * chunks), usualThreads, {},
      [&](Value i, ValueRange) {
        Value own = integers.quotient(i, chunks);
        Value slot = integers.plus(firstSlot, own);
        Value exists =
            parts * count % slotsOfBlock == 0 ? Value() : hasSlot(slot);
        device.guarded(exists, [&] {
          Value row = integers.widened(device.loadShared(rowOfSlot, own, i32));
          copy(integers.plus(firstRow, row), placeOf(sample, slot),
               integers.remainder(i, chunks), device.isBelow(row, rows));
        });
        return SmallVector<Value>();
      });
}

} // namespace

void emitMoveRows(DeviceKernel &device, Operation *op) {
  if (auto pack = dyn_cast<smith::PackRowsOp>(op))
    return MoveNest(device, op, pack.getRows(), pack.getPacked(),
                    pack.getSlots())
        .pack();
  auto unpack = cast<smith::UnpackRowsOp>(op);
  MoveNest(device, op, unpack.getRows(), unpack.getPacked(), unpack.getSlots())
      .unpack();
}

} // namespace shardsmith::cuda
