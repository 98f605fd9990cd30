// SPDX-License-Identifier: Apache-2.0

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {

FragmentThread::FragmentThread(DeviceKernel &device)
    : device(device), builder(device.builder), integers(device) {
  Value lane = integers.remainder(device.thread, warpSize);
  warp = integers.quotient(device.thread, warpSize);
  group = integers.quotient(lane, 4);
  quad = integers.remainder(lane, 4);
  firstRow = integers.plus(integers.times(warp, rowsOfWarp), group);
}

Value FragmentThread::row(int64_t e) {
  return integers.plus(firstRow, e < 2 ? 0 : 8);
}

Value FragmentThread::column(int64_t fragment, int64_t e) {
  return integers.plus(integers.times(quad, 2),
                       columnsOfFragment * fragment + e % 2);
}

Fragments FragmentThread::zeros(int64_t columns) {
  int64_t fragments =
      static_cast<int64_t>(llvm::divideCeil(columns, columnsOfFragment));
  return Fragments(4 * fragments, number(0));
}

Value FragmentThread::exchange(Value value, int64_t bits) {
  if (bits == 0)
    return value;
  return gpu::ShuffleOp::create(builder, value, static_cast<int32_t>(bits),
                                static_cast<int32_t>(warpSize),
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

Value FragmentThread::sumOfQuad(Value value) {
  for (int64_t bits : {2, 1})
    value = arith::AddFOp::create(builder, value, exchange(value, bits));
  return value;
}

Value FragmentThread::largestOfQuad(Value value) {
  for (int64_t bits : {2, 1})
    value = arith::MaximumFOp::create(builder, value, exchange(value, bits));
  return value;
}

void FragmentThread::storePair(Value buffer, Type element, Value row,
                               int64_t size, int64_t fragment, Value condition,
                               llvm::function_ref<Value(int64_t)> valueOf,
                               const LaneIndex &firstColumn) {
  int64_t lanes = size % 2 == 0 ? 2 : 1;
  LaneArithmetic arithmetic(builder, lanes);
  int64_t end = (fragment + 1) * columnsOfFragment;
  bool isWhole =
      firstColumn.isConstant()
          ? firstColumn.offset + end <= size
          : end <= firstColumn.multiple && size % firstColumn.multiple == 0;
  for (int64_t e = 0; e < 2; e += lanes) {
    Value isColumn;
    if (!isWhole)
      isColumn = device.isBelow(
          integers.plus(column(fragment, e), arithmetic.scalar(firstColumn)),
          size);
    device.guarded(device.both(condition, isColumn), [&] {
      LaneIndex place =
          arithmetic.plus(arithmetic.times(LaneIndex::at(quad), 2),
                          columnsOfFragment * fragment + e);
      place = arithmetic.plus(firstColumn, place);
      place.stride = lanes - 1;
      place =
          arithmetic.plus(arithmetic.times(LaneIndex::at(row), size), place);
      Value value = valueOf(e);
      if (lanes == 2)
        value = vector::FromElementsOp::create(
            builder, VectorType::get({2}, builder.getF32Type()),
            ValueRange{value, valueOf(1)});
      DeviceMemory::store(builder, arithmetic, buffer, element, place, value);
    });
  }
}

void FragmentThread::instruct(ValueRange left, ValueRange right,
                              MutableArrayRef<Value> sums) {
  SmallVector<Type> floats(4, builder.getF32Type());
  Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(), floats);
  Value product = NVVM::MmaOp::create(
      builder, result, left, right, ValueRange(sums),
      {rowsOfWarp, columnsOfFragment, depthOfInstruction}, std::nullopt,
      std::nullopt, std::array{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    sum =
        LLVM::ExtractValueOp::create(builder, product, static_cast<int64_t>(i));
}

Value FragmentThread::number(double value) {
  return arith::ConstantOp::create(
      builder, builder.getF32FloatAttr(static_cast<float>(value)));
}

} // namespace shardsmith::cuda
