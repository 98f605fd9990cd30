// SPDX-License-Identifier: Apache-2.0
//
// The largest k of each row, one after the other. A warp has a row, and all
// that an order of elements looks at is one number of each, its *rank*:
//
//     high 32 bits   the element as an integer of the same order, NaN on top
//     low 32 bits    ones minus the position: of equal elements the first one
//                    has the highest rank
//
//     repeat k times:   best = the highest rank that is not above `limit`
//                       limit = best - 1
//
// No two ranks are equal, so nothing is kept about what was taken. A thread
// keeps its ranks of a row in registers, if they are few, and otherwise reads
// the row anew each time.

#include "Integers.h"
#include "OwnFunctions.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr int64_t warpsOfBlock = 4;
constexpr int64_t low32 = 0xffffffff;
/// Ranks that a thread keeps, of two registers each.
constexpr int64_t mostKept = 16;

class TopKNest {
public:
  TopKNest(DeviceKernel &device, chlo::TopKOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        element(getElementTypeOrSelf(op.getOperand())), scalars(builder, 1) {}
  void emit();

private:
  Value load(Value position) {
    return device.memory.load(builder, scalars, op.getOperand(),
                              LaneIndex::at(position));
  }
  /// An i64 that orders elements, in the range of an i32.
  Value orderOf(Value value);
  Value rankOf(Value value, Value position);
  Value higher(Value a, Value b) {
    return arith::MaxSIOp::create(builder, a, b);
  }
  /// The higher one of two ranks, the second only if it is not above `limit`.
  Value higherBelow(Value best, Value rank, Value limit);
  /// Those of the row that are this thread's; none if they are too many.
  SmallVector<Value> keepRanks();
  /// Of the row, known to all threads of the warp.
  Value highestRank(ArrayRef<Value> kept, Value limit);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  chlo::TopKOp op;
  Type element;
  LaneArithmetic scalars;
  /// The number of the thread in its warp, and where the warp's row begins.
  Value lane, start;
  Value lowest;
  int64_t size = 0;
};

Value TopKNest::orderOf(Value value) {
  Type i64 = builder.getI64Type();
  if (element.isUnsignedInteger())
    return integers.plus(arith::ExtUIOp::create(builder, i64, value),
                         int64_t(std::numeric_limits<int32_t>::min()));
  if (isa<IntegerType>(element))
    return arith::ExtSIOp::create(builder, i64, value);
  auto constant = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(builder,
                                     builder.getI32IntegerAttr(number));
  };
  constexpr int32_t largest = std::numeric_limits<int32_t>::max();
  Value zero = constant(0);
  Value bits = arith::BitcastOp::create(builder, builder.getI32Type(), value);
  // Larger bits of a negative float are a smaller float.
  Value isNegative =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, bits, zero);
  Value order = arith::SelectOp::create(
      builder, isNegative,
      arith::XOrIOp::create(builder, bits, constant(largest)), bits);
  // Both zeros are equal, and so are all that are no number.
  Value isZero = arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ,
                                       value, numberLike(builder, value, 0));
  order = arith::SelectOp::create(builder, isZero, zero, order);
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  order = arith::SelectOp::create(builder, isNaN, constant(largest), order);
  return arith::ExtSIOp::create(builder, i64, order);
}

Value TopKNest::rankOf(Value value, Value position) {
  Value high =
      arith::ShLIOp::create(builder, orderOf(value), device.constant(32));
  return arith::OrIOp::create(builder, high,
                              integers.minus(device.constant(low32), position));
}

Value TopKNest::higherBelow(Value best, Value rank, Value limit) {
  Value isLeft =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sle, rank, limit);
  return higher(best, arith::SelectOp::create(builder, isLeft, rank, lowest));
}

SmallVector<Value> TopKNest::keepRanks() {
  SmallVector<Value> kept;
  if (size > mostKept * warpSize)
    return kept;
  for (int64_t first = 0; first < size; first += warpSize) {
    Value position = integers.plus(lane, first);
    Value isThere =
        first + warpSize <= size ? Value() : device.isBelow(position, size);
    device.memory.active = isThere;
    Value rank = rankOf(load(integers.plus(start, position)), position);
    device.memory.active = {};
    kept.push_back(isThere
                       ? arith::SelectOp::create(builder, isThere, rank, lowest)
                             .getResult()
                       : rank);
  }
  return kept;
}

Value TopKNest::highestRank(ArrayRef<Value> kept, Value limit) {
  Value best = lowest;
  for (Value rank : kept)
    best = higherBelow(best, rank, limit);
  if (kept.empty())
    best = device
               .loop(lane, device.constant(size), warpSize, lowest,
                     [&](Value position, ValueRange best) {
                       Value rank = rankOf(load(integers.plus(start, position)),
                                           position);
                       return SmallVector<Value>{
                           higherBelow(best.front(), rank, limit)};
                     })
               .front();
  for (int64_t offset = warpSize / 2; offset > 0; offset /= 2)
    best = higher(best, exchangeInWarp(builder, best, offset));
  return best;
}

void TopKNest::emit() {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  size = type.getShape().back();
  int64_t rows = type.getNumElements() / size;
  auto k = static_cast<int64_t>(op.getK());
  int64_t warps = std::min(rows, warpsOfBlock);
  device.launch(ceilDivide(rows, warps), warps * warpSize);
  lane = integers.remainder(device.thread, warpSize);
  Value row = integers.plus(integers.times(device.block, warps),
                            integers.quotient(device.thread, warpSize));
  Value isFirst = device.isBelow(lane, 1);
  Value stores = rows % warps == 0
                     ? isFirst
                     : device.both(isFirst, device.isBelow(row, rows));
  // Warps behind the last row do as that of the last row does.
  row = integers.smaller(row, device.constant(rows - 1));
  start = integers.times(row, size);
  lowest = device.constant(std::numeric_limits<int64_t>::min());
  SmallVector<Value> kept = keepRanks();
  Value everything = device.constant(std::numeric_limits<int64_t>::max());
  device.loop(
      device.constant(0), device.constant(k), 1, everything,
      [&](Value place, ValueRange limit) {
        Value best = highestRank(kept, limit.front());
        device.guarded(stores, [&] {
          Value position = integers.minus(
              device.constant(low32),
              arith::AndIOp::create(builder, best, device.constant(low32)));
          LaneIndex to =
              LaneIndex::at(integers.plus(integers.times(row, k), place));
          DeviceMemory::store(builder, scalars, device.buffer(1), element, to,
                              load(integers.plus(start, position)));
          Type index = getElementTypeOrSelf(op.getIndices());
          Value number = position;
          if (index.getIntOrFloatBitWidth() < 64)
            number =
                arith::TruncIOp::create(builder, registerType(index), position);
          DeviceMemory::store(builder, scalars, device.buffer(2), index, to,
                              number);
        });
        return SmallVector<Value>{integers.plus(best, -1)};
      });
}

} // namespace

std::string whyNotTopK(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (element.getIntOrFloatBitWidth() <= 32)
    return "";
  std::string reason;
  llvm::raw_string_ostream(reason)
      << "'chlo.top_k' of " << element << " has no lowering";
  return reason;
}

void emitTopK(DeviceKernel &device, Operation *op) {
  TopKNest(device, cast<chlo::TopKOp>(op)).emit();
}

} // namespace shardsmith::cuda
