// SPDX-License-Identifier: Apache-2.0
//
// Kernels that put elements elsewhere, and do nothing with them from there on.
// Neighbours of the operand, which is an input or computed from inputs, that
// are far from each other in the result go through shared memory, tile by tile,
// so that both sides are accessed by whole sectors:
//
//     operand   rows of 32 along what is      result   rows of 32 along what is
//               contiguous in it, q                    contiguous in it, p
//
//               q ─▶                                   p ─▶
//             p ┌────┐     ┌────┐ 33 wide, so        q ┌────┐
//             │ │tile│ ──▶ │    │ that a column of ──▶│ │tile│
//             ▼ └────┘     └────┘ lanes has 32 banks  ▼ └────┘
//
// A tensor is read as digits: sizes with strides, major to minor.

#include "DeviceKernel.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr int64_t tileSize = warpSize;
/// Each lane moves this many elements of a tile.
constexpr int64_t rowsOfThread = 4;
constexpr int64_t rowsOfBlock = tileSize / rowsOfThread;

struct Digit {
  int64_t size, fromStride, toStride;
};

int64_t countOf(ArrayRef<Digit> digits) {
  int64_t count = 1;
  for (const Digit &digit : digits)
    count *= digit.size;
  return count;
}

/// The digits of `from` read as dimensions of a reshape's result; nothing if a
/// dimension ends inside of a digit.
FailureOr<SmallVector<SmallVector<Digit>>>
regroup(ArrayRef<SmallVector<Digit>> from, ArrayRef<int64_t> shape) {
  SmallVector<Digit> left;
  for (ArrayRef<Digit> dimension : from)
    llvm::append_range(left, dimension);
  SmallVector<SmallVector<Digit>> groups(shape.size());
  // From the last dimension: minor digits are at the back.
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t missing = shape[d];
    while (missing > 1) {
      if (left.empty())
        return failure();
      Digit &digit = left.back();
      if (missing % digit.size == 0) {
        missing /= digit.size;
        groups[d].insert(groups[d].begin(), digit);
        left.pop_back();
      } else if (digit.size % missing == 0) {
        groups[d].insert(groups[d].begin(), {missing, digit.fromStride, 0});
        digit.size /= missing;
        digit.fromStride *= missing;
        missing = 1;
      } else {
        return failure();
      }
    }
  }
  return groups;
}

/// The result of a kernel as another order of the elements of a tensor.
struct Permutation {
  Value operand; ///< of the kernel's body
  SmallVector<Digit> digits;
};

FailureOr<Permutation> permutationOf(smith::KernelOp kernel) {
  if (kernel->getNumResults() != 1)
    return failure();
  Value value = kernel.getBody().front().getTerminator()->getOperand(0);
  SmallVector<Operation *> steps;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::TransposeOp, stablehlo::ReshapeOp>(op))
      break;
    steps.insert(steps.begin(), op);
    value = op->getOperand(0);
  }
  Permutation result{value, {}};
  SmallVector<SmallVector<Digit>> dimensions;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(shape)) {
    dimensions.insert(dimensions.begin(),
                      SmallVector<Digit>{{size, stride, 0}});
    stride *= size;
  }
  for (Operation *op : steps) {
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      SmallVector<SmallVector<Digit>> permuted;
      for (int64_t d : transpose.getPermutation())
        permuted.push_back(dimensions[size_t(d)]);
      dimensions = std::move(permuted);
    } else {
      auto groups = regroup(
          dimensions, cast<stablehlo::ReshapeOp>(op).getType().getShape());
      if (failed(groups))
        return failure();
      dimensions = *groups;
    }
  }
  SmallVector<Digit> &digits = result.digits;
  for (ArrayRef<Digit> dimension : dimensions)
    for (const Digit &digit : dimension)
      if (digit.size > 1)
        digits.push_back(digit);
  stride = 1;
  for (Digit &digit : llvm::reverse(digits)) {
    digit.toStride = stride;
    stride *= digit.size;
  }
  return result;
}

/// Which digits tiles are along.
struct Tiling {
  /// Contiguous in the result, and in the operand; the others.
  SmallVector<Digit> result, operand, rest;
};

/// Nothing if either side is shorter than a tile, or both share a digit: then
/// neighbours stay near each other, and caches do.
FailureOr<Tiling> tilingOf(SmallVector<Digit> digits) {
  Tiling tiling;
  while (!digits.empty() && countOf(tiling.result) < tileSize)
    tiling.result.insert(tiling.result.begin(), digits.pop_back_val());
  int64_t stride = 1;
  while (countOf(tiling.operand) < tileSize) {
    auto next = llvm::find_if(
        digits, [&](const Digit &digit) { return digit.fromStride == stride; });
    if (next == digits.end())
      return failure();
    stride *= next->size;
    tiling.operand.insert(tiling.operand.begin(), *next);
    digits.erase(next);
  }
  if (countOf(tiling.result) < tileSize)
    return failure();
  tiling.rest = std::move(digits);
  return tiling;
}

class TransposeNest : KernelNest {
public:
  TransposeNest(DeviceKernel &device, smith::KernelOp kernel, Value operand,
                Tiling tiling)
      : KernelNest(device, kernel), source(operand), tiling(std::move(tiling)),
        arithmetic(builder, 1),
        element(getElementTypeOrSelf(kernel.getResult(0).getType())) {}

  void emit() {
    int64_t resultCount = countOf(tiling.result);
    int64_t operandCount = countOf(tiling.operand);
    int64_t resultTiles = ceilDivide(resultCount, tileSize);
    int64_t operandTiles = ceilDivide(operandCount, tileSize);
    device.launch(countOf(tiling.rest) * resultTiles * operandTiles,
                  tileSize * rowsOfBlock);
    // Neighbouring blocks write next to each other.
    auto [others, resultTile] = divide(device.block, resultTiles);
    auto [rest, operandTile] = divide(others, operandTiles);
    auto [row, lane] = divide(device.thread, tileSize);
    Value firstOfResult = times(resultTile, tileSize);
    Value firstOfOperand = times(operandTile, tileSize);

    Type kept = registerType(element);
    Value tile = device.shared(tileSize * (tileSize + 1), kept);
    Side result{tiling.result, firstOfResult};
    Side operand{tiling.operand, firstOfOperand};
    move(result, operand, row, lane, [&](Value p, Value q) {
      Value from = plus(plus(offset(rest, tiling.rest, &Digit::fromStride),
                             offset(p, tiling.result, &Digit::fromStride)),
                        q);
      Value place = placeOf(p, q, result, operand);
      device.storeShared(tile, place, elementOfOperand(from));
    });
    device.barrier();
    // Rows and lanes have changed places.
    move(operand, result, row, lane, [&](Value q, Value p) {
      Value to = plus(plus(offset(rest, tiling.rest, &Digit::toStride),
                           offset(q, tiling.operand, &Digit::toStride)),
                      p);
      Value place = placeOf(p, q, result, operand);
      store(arithmetic, 0, LaneIndex::at(to),
            device.loadShared(tile, place, kept));
    });
  }

private:
  /// What is contiguous on one side, and where in it the tile begins.
  struct Side {
    ArrayRef<Digit> digits;
    Value first;
  };

  /// The element at a row-major position.
  Value elementOfOperand(Value position) {
    LaneIndex linear = LaneIndex::at(position);
    if (device.memory.holds(source))
      return device.memory.load(builder, arithmetic, source, linear);
    ElementEmitter emitter(builder, 1, device.memory, noHook);
    return emitter.emit(
        source, emitter.arithmetic.delinearize(linear, shapeOf(source)));
  }

  /// A position along each side, as a place in shared memory.
  Value placeOf(Value p, Value q, const Side &result, const Side &operand) {
    return plus(times(minus(p, result.first), tileSize + 1),
                minus(q, operand.first));
  }

  /// Does `body` for each of the thread's elements of the tile that are there,
  /// with their positions along both sides.
  void move(const Side &rows, const Side &lanes, Value row, Value lane,
            llvm::function_ref<void(Value ofRow, Value ofLane)> body) {
    int64_t rowCount = countOf(rows.digits), laneCount = countOf(lanes.digits);
    Value ofLane = plus(lanes.first, lane);
    for (int64_t i = 0; i < rowsOfThread; ++i) {
      Value ofRow =
          plus(rows.first, plus(row, device.constant(i * rowsOfBlock)));
      Value isThere = device.both(
          rowCount % tileSize == 0 ? Value() : device.isBelow(ofRow, rowCount),
          laneCount % tileSize == 0 ? Value()
                                    : device.isBelow(ofLane, laneCount));
      device.guarded(isThere, [&] { body(ofRow, ofLane); });
    }
  }

  /// Where the `number`-th combination of digits is.
  Value offset(Value number, ArrayRef<Digit> digits, int64_t Digit::*stride) {
    Value result = device.constant(0);
    for (size_t i = digits.size(); i-- > 0;) {
      Value digit = number;
      if (i > 0)
        std::tie(number, digit) = divide(number, digits[i].size);
      result = plus(result, times(digit, digits[i].*stride));
    }
    return result;
  }

  /// Quotient and remainder.
  std::pair<Value, Value> divide(Value value, int64_t divisor) {
    Value by = device.constant(divisor);
    return {arith::DivUIOp::create(builder, value, by),
            arith::RemUIOp::create(builder, value, by)};
  }
  Value plus(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value minus(Value a, Value b) { return arith::SubIOp::create(builder, a, b); }
  Value times(Value a, int64_t factor) {
    return arith::MulIOp::create(builder, a, device.constant(factor));
  }

  Value source;
  Tiling tiling;
  LaneArithmetic arithmetic;
  Type element;
};

} // namespace

bool emitTranspose(DeviceKernel &device, smith::KernelOp kernel) {
  FailureOr<Permutation> permutation = permutationOf(kernel);
  if (failed(permutation))
    return false;
  FailureOr<Tiling> tiling = tilingOf(permutation->digits);
  if (failed(tiling))
    return false;
  TransposeNest(device, kernel, permutation->operand, *tiling).emit();
  return true;
}

} // namespace shardsmith::cuda
