// SPDX-License-Identifier: Apache-2.0
//
// A thread has an element of the result, and goes through the window and the
// features of its group. Neighbours in memory are neighbouring threads.
//
// Few elements with long sums, as in the gradient of a depthwise kernel, are
// shared by several threads of a block: thread i of n has the places
// i, i + n, … of the window's first dimension, and their sums are added in
// order.

#include "EmitConvolution.h"
#include "Places.h"

#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Threads of an element with a long sum.
constexpr int64_t mostSharers = 8;
/// Sums of fewer terms are not shared, nor are those of so many elements.
constexpr int64_t longSum = 512, manyElements = 64 * 1024;

class DirectConvolution {
public:
  DirectConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        shape(op), places(device, shape), arithmetic(builder, 1),
        sumType(hasIntegers(op)  ? Type(builder.getI64Type())
                : hasDoubles(op) ? Type(builder.getF64Type())
                                 : builder.getF32Type()),
        elements(llvm::product_of(shapeOf(op.getResult()))) {
    if (!shape.space.empty() && shape.space[0].rhsSize >= mostSharers &&
        places.depth.count() >= longSum && elements < manyElements)
      sharers = mostSharers;
  }
  void emit();

private:
  /// Finds out what the thread's element is.
  void locate(Value element);
  /// The thread's terms of its sum.
  Value sum();
  void store(Value sum);
  /// Adds the terms at the places of the window that begin with these, behind
  /// that of the feature.
  Value addWindow(Value sum, LaneIndices begun);
  Value load(Value tensor, const LaneIndex &place, Value exists);
  /// An element of the tensor's type as a float or integer of another width.
  Value converted(Value value, Type type, Value tensor);
  Value plus(Value a, Value b);
  Value plusProduct(Value left, Value right, Value sum);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  stablehlo::ConvolutionOp op;
  ConvolutionShape shape;
  ConvolutionPlaces places;
  LaneArithmetic arithmetic;
  Type sumType;
  int64_t elements, sharers = 1;
  /// Which of the threads of its element this one is.
  Value sharer;
  Value group;
  LaneIndex output;
  ConvolutionPlaces::Position position;
};

Value DirectConvolution::converted(Value value, Type type, Value tensor) {
  unsigned width = type.getIntOrFloatBitWidth(),
           own = value.getType().getIntOrFloatBitWidth();
  if (isa<IntegerType>(type) && width != own) {
    if (width < own)
      return arith::TruncIOp::create(builder, type, value);
    if (getElementTypeOrSelf(tensor).isUnsignedInteger())
      return arith::ExtUIOp::create(builder, type, value);
    return arith::ExtSIOp::create(builder, type, value);
  }
  if (width > own)
    return arith::ExtFOp::create(builder, type, value);
  if (width < own)
    return arith::TruncFOp::create(builder, type, value);
  return value;
}

Value DirectConvolution::plus(Value a, Value b) {
  if (isa<IntegerType>(sumType))
    return arith::AddIOp::create(builder, a, b);
  return arith::AddFOp::create(builder, a, b);
}

Value DirectConvolution::plusProduct(Value left, Value right, Value sum) {
  if (isa<IntegerType>(sumType))
    return plus(arith::MulIOp::create(builder, left, right), sum);
  return math::FmaOp::create(builder, left, right, sum);
}

Value DirectConvolution::load(Value tensor, const LaneIndex &place,
                              Value exists) {
  device.memory.active = exists;
  Value value = device.memory.load(builder, arithmetic, tensor, place);
  device.memory.active = {};
  return converted(value, sumType, tensor);
}

Value DirectConvolution::addWindow(Value sum, LaneIndices begun) {
  size_t digit = begun.size();
  bool isWhole = digit == shape.space.size() + 1;
  int64_t count = isWhole ? shape.features : shape.space[digit - 1].rhsSize;
  auto add = [&](Value number, ValueRange sums) -> SmallVector<Value> {
    LaneIndices depth = begun;
    if (!isWhole) {
      depth.push_back(LaneIndex::at(number));
      return {addWindow(sums.front(), depth)};
    }
    depth[0] = LaneIndex::at(number);
    auto [place, exists] = places.lhs(group, position, depth);
    Value left = load(op.getLhs(), place, exists);
    Value right = load(op.getRhs(), places.rhs(group, output, depth), exists);
    return {plusProduct(left, right, sums.front())};
  };
  bool isShared = sharers > 1 && digit == 1;
  return device
      .loop(isShared ? sharer : device.constant(0), device.constant(count),
            isShared ? sharers : 1, {sum}, add)
      .front();
}

void DirectConvolution::locate(Value element) {
  // Outputs of all groups are one dimension of the result.
  SmallVector<int64_t> sizes{shape.groups * shape.outputs, shape.samples},
      strides{shape.result.output, shape.result.sample};
  for (const ConvolutionShape::Space &space : shape.space) {
    sizes.push_back(space.resultSize);
    strides.push_back(space.resultStride);
  }
  LaneIndices digits = DigitOrder(sizes, strides, /*isFirstMinor=*/false)
                           .digits(arithmetic, LaneIndex::at(element));
  auto [ofGroups, inGroup] = arithmetic.divide(digits.front(), shape.outputs);
  group = arithmetic.scalar(ofGroups);
  output = inGroup;
  position.assign(std::next(digits.begin()), digits.end());
}

Value DirectConvolution::sum() {
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(sumType));
  return addWindow(zero, {LaneIndex()});
}

void DirectConvolution::store(Value sum) {
  Type type = getElementTypeOrSelf(op.getResult());
  DeviceMemory::store(builder, arithmetic, device.buffer(2), type,
                      places.result(group, position, output),
                      converted(sum, registerType(type), op.getResult()));
}

void DirectConvolution::emit() {
  int64_t ofBlock = usualThreads / sharers;
  device.launch(ceilDivide(elements, ofBlock), usualThreads);
  sharer = integers.quotient(device.thread, ofBlock);
  Value element = integers.plus(integers.times(device.block, ofBlock),
                                integers.remainder(device.thread, ofBlock));
  Value exists =
      elements % ofBlock == 0 ? Value() : device.isBelow(element, elements);
  locate(element);
  if (sharers == 1)
    return device.guarded(exists, [&] { store(sum()); });
  Value sums = device.shared(usualThreads, sumType);
  device.guarded(exists,
                 [&] { device.storeShared(sums, device.thread, sum()); });
  device.barrier();
  Value isFirst = device.isBelow(device.thread, ofBlock);
  device.guarded(device.both(exists, isFirst), [&] {
    Value total = device.loadShared(sums, device.thread, sumType);
    for (int64_t i = 1; i < sharers; ++i)
      total = plus(
          total, device.loadShared(
                     sums, integers.plus(device.thread, i * ofBlock), sumType));
    store(total);
  });
}

} // namespace

void emitDirectConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op) {
  DirectConvolution(device, op).emit();
}

} // namespace shardsmith::cuda
