// SPDX-License-Identifier: Apache-2.0

#include "Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

using Space = ConvolutionShape::Space;

/// A number, and one of every spatial dimension.
SmallVector<int64_t> withSpace(int64_t first, const ConvolutionShape &shape,
                               int64_t Space::*member) {
  SmallVector<int64_t> all{first};
  for (const Space &space : shape.space)
    all.push_back(space.*member);
  return all;
}

} // namespace

DigitOrder::DigitOrder(ArrayRef<int64_t> ofDigits, ArrayRef<int64_t> strides,
                       bool isFirstMinor) {
  for (size_t digit = 0; digit < ofDigits.size(); ++digit)
    order.push_back(digit);
  llvm::sort(order, [&](size_t a, size_t b) {
    if (isFirstMinor && (a == 0 || b == 0))
      return a != 0 && b == 0;
    return std::pair(-strides[a], a) < std::pair(-strides[b], b);
  });
  for (size_t digit : order)
    sizes.push_back(ofDigits[digit]);
}

LaneIndices DigitOrder::digits(LaneArithmetic &arithmetic,
                               const LaneIndex &number) const {
  LaneIndices inOrder = arithmetic.delinearize(number, sizes);
  LaneIndices digits(order.size());
  for (auto [i, digit] : llvm::enumerate(order))
    digits[digit] = inOrder[i];
  return digits;
}

ConvolutionPlaces::ConvolutionPlaces(DeviceKernel &device,
                                     const ConvolutionShape &shape)
    : shape(shape),
      positions(withSpace(shape.samples, shape, &Space::resultSize),
                withSpace(shape.result.sample, shape, &Space::resultStride),
                shape.lhs.sample == 1),
      depth(withSpace(shape.features, shape, &Space::rhsSize),
            withSpace(shape.rhs.feature, shape, &Space::rhsStride),
            shape.lhs.feature == 1),
      device(device), integers(device), arithmetic(device.builder, 1) {}

std::pair<LaneIndex, Value> ConvolutionPlaces::lhs(Value group,
                                                   const Position &position,
                                                   const Depth &depth) {
  LaneIndex place = arithmetic.times(LaneIndex::at(group), shape.lhs.group);
  place =
      arithmetic.plus(place, arithmetic.times(position[0], shape.lhs.sample));
  place = arithmetic.plus(place, arithmetic.times(depth[0], shape.lhs.feature));
  Value exists;
  for (auto [d, space] : llvm::enumerate(shape.space)) {
    Value y = arithmetic.scalar(position[d + 1]);
    Value w = arithmetic.scalar(depth[d + 1]);
    // Where it is among elements and what is between them; before the first
    // one, a large number without sign.
    Value dilated =
        integers.plus(integers.plus(integers.times(y, space.step),
                                    integers.times(w, space.rhsDilation)),
                      -space.padding);
    int64_t last = (space.lhsSize - 1) * space.lhsDilation;
    int64_t most = (space.resultSize - 1) * space.step +
                   (space.rhsSize - 1) * space.rhsDilation - space.padding;
    if (space.padding > 0 || most > last)
      exists = device.both(exists, device.builder.createOrFold<arith::CmpIOp>(
                                       arith::CmpIPredicate::ule, dilated,
                                       device.constant(last)));
    if (space.lhsDilation > 1)
      exists = device.both(
          exists,
          integers.isEqual(integers.remainder(dilated, space.lhsDilation),
                           device.constant(0)));
    Value x = integers.quotient(dilated, space.lhsDilation);
    place = arithmetic.plus(
        place, arithmetic.times(LaneIndex::at(x), space.lhsStride));
  }
  return {place, exists};
}

LaneIndex ConvolutionPlaces::rhs(Value group, const LaneIndex &output,
                                 const Depth &depth) {
  LaneIndex place = arithmetic.times(LaneIndex::at(group), shape.rhs.group);
  place = arithmetic.plus(place, arithmetic.times(output, shape.rhs.output));
  place = arithmetic.plus(place, arithmetic.times(depth[0], shape.rhs.feature));
  for (auto [d, space] : llvm::enumerate(shape.space)) {
    LaneIndex w = depth[d + 1];
    if (space.isReversed)
      w = LaneIndex::at(integers.minus(device.constant(space.rhsSize - 1),
                                       arithmetic.scalar(w)));
    place = arithmetic.plus(place, arithmetic.times(w, space.rhsStride));
  }
  return place;
}

LaneIndex ConvolutionPlaces::result(Value group, const Position &position,
                                    const LaneIndex &output) {
  LaneIndex place = arithmetic.times(LaneIndex::at(group), shape.result.group);
  place = arithmetic.plus(place, arithmetic.times(output, shape.result.output));
  place = arithmetic.plus(place,
                          arithmetic.times(position[0], shape.result.sample));
  for (auto [d, space] : llvm::enumerate(shape.space))
    place = arithmetic.plus(
        place, arithmetic.times(position[d + 1], space.resultStride));
  return place;
}

} // namespace shardsmith::cuda
