// SPDX-License-Identifier: Apache-2.0
//
// Both work in place: the result holds the matrices, or right sides, before.
//
// Cholesky factors: a block has a matrix. What is above its diagonal becomes
// zero; with the columns before k done,
//
//     d = √(a[k, k])        a[i, k] = a[i, k] / d         i > k
//                           a[i, j] = a[i, j] − a[i, k] · a[j, k]   i ≥ j > k
//
// A matrix that has no factor makes a NaN, which reaches its last element, and
// all of it is NaN then. An upper factor is the transpose of the lower one.
//
// Triangular systems: a thread has one column of x (or row, of x · a = b), and
// finds its elements one after the other.

#include "Integers.h"
#include "OwnFunctions.h"

#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr double noFactor = std::numeric_limits<double>::quiet_NaN();

/// Elements of matrices in the device's memory, one at a time.
struct Matrices {
  Matrices(DeviceKernel &device, Type element)
      : device(device), builder(device.builder), integers(device),
        element(element), scalars(builder, 1) {}

  /// The element at the place in the buffer of an argument.
  Value at(unsigned argument, Value place) {
    return DeviceMemory::loadFrom(builder, scalars, device.buffer(argument),
                                  element, LaneIndex::at(place));
  }
  void put(unsigned argument, Value place, Value value) {
    DeviceMemory::store(builder, scalars, device.buffer(argument), element,
                        LaneIndex::at(place), value);
  }
  /// The sum less the product.
  Value less(Value sum, Value a, Value b) {
    return math::FmaOp::create(builder, arith::NegFOp::create(builder, a), b,
                               sum);
  }
  Value number(double value) {
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(element, value));
  }

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  Type element;
  LaneArithmetic scalars;
};

void emitCholesky(DeviceKernel &device, stablehlo::CholeskyOp op) {
  auto type = cast<RankedTensorType>(op.getA().getType());
  int64_t n = type.getShape().back();
  Matrices m(device, type.getElementType());
  Integers &integers = m.integers;
  ImplicitLocOpBuilder &builder = m.builder;
  device.launch(type.getNumElements() / (n * n), usualThreads);
  Value start = integers.times(device.block, n * n);
  // Element (row, column) of the lower factor.
  auto place = [&](Value row, Value column) {
    if (!op.getLower())
      std::swap(row, column);
    return integers.plus(start, integers.plus(integers.times(row, n), column));
  };
  auto forElements = [&](llvm::function_ref<void(Value, Value)> body) {
    device.loop(device.thread, device.constant(n * n), usualThreads, {},
                [&](Value number, ValueRange) {
                  body(integers.quotient(number, n),
                       integers.remainder(number, n));
                  return SmallVector<Value>();
                });
  };
  auto isAtMost = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::sle, a, b);
  };
  forElements([&](Value row, Value column) {
    Value to = place(row, column);
    m.put(1, to,
          arith::SelectOp::create(builder, isAtMost(column, row), m.at(1, to),
                                  m.number(0)));
  });
  device.barrier();
  device.loop(
      device.constant(0), device.constant(n), 1, {}, [&](Value k, ValueRange) {
        Value diagonal = place(k, k);
        Value pivot = m.at(1, diagonal);
        Value isPositive = arith::CmpFOp::create(
            builder, arith::CmpFPredicate::OGT, pivot, m.number(0));
        Value root = arith::SelectOp::create(
            builder, isPositive, math::SqrtOp::create(builder, pivot),
            m.number(noFactor));
        device.barrier();
        device.loop(
            integers.plus(k, device.thread), device.constant(n), usualThreads,
            {}, [&](Value row, ValueRange) {
              Value to = place(row, k);
              Value below = arith::DivFOp::create(builder, m.at(1, to), root);
              m.put(1, to,
                    arith::SelectOp::create(builder, integers.isEqual(row, k),
                                            root, below));
              return SmallVector<Value>();
            });
        device.barrier();
        forElements([&](Value row, Value column) {
          Value isRest =
              device.both(integers.isBelow(k, column), isAtMost(column, row));
          device.guarded(isRest, [&] {
            Value to = place(row, column);
            m.put(1, to,
                  m.less(m.at(1, to), m.at(1, place(row, k)),
                         m.at(1, place(column, k))));
          });
        });
        device.barrier();
        return SmallVector<Value>();
      });
  Value last = m.at(1, place(device.constant(n - 1), device.constant(n - 1)));
  Value hasNone =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, last, last);
  device.barrier();
  device.guarded(hasNone, [&] {
    forElements([&](Value row, Value column) {
      m.put(1, place(row, column), m.number(noFactor));
    });
  });
}

void emitTriangularSolve(DeviceKernel &device,
                         stablehlo::TriangularSolveOp op) {
  auto type = cast<RankedTensorType>(op.getB().getType());
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  bool isLeft = op.getLeftSide();
  int64_t n = isLeft ? rows : columns, systems = isLeft ? columns : rows;
  int64_t units = type.getNumElements() / n;
  Matrices m(device, type.getElementType());
  Integers &integers = m.integers;
  ImplicitLocOpBuilder &builder = m.builder;
  device.launch(ceilDivide(units, usualThreads), usualThreads);
  Value unit =
      integers.plus(integers.times(device.block, usualThreads), device.thread);
  // As t · x = b of column vectors, with t the matrix or its transpose.
  bool isTransposed =
      (op.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE) == isLeft;
  bool isLower = op.getLower() != isTransposed;
  Value exists =
      units % usualThreads == 0 ? Value() : device.isBelow(unit, units);
  device.guarded(exists, [&] {
    Value matrix = integers.quotient(unit, systems);
    Value system = integers.remainder(unit, systems);
    auto ofMatrix = [&](Value row, Value column) {
      if (isTransposed)
        std::swap(row, column);
      return integers.plus(integers.times(matrix, n * n),
                           integers.plus(integers.times(row, n), column));
    };
    auto ofVector = [&](Value number) {
      Value start = integers.times(matrix, rows * columns);
      Value inside =
          isLeft ? integers.plus(integers.times(number, columns), system)
                 : integers.plus(integers.times(system, columns), number);
      return integers.plus(start, inside);
    };
    // Upper systems are solved from their last element on.
    auto numbered = [&](Value step) {
      return isLower ? step : integers.minus(device.constant(n - 1), step);
    };
    device.loop(device.constant(0), device.constant(n), 1, {},
                [&](Value step, ValueRange) {
                  Value row = numbered(step);
                  Value sum = device
                                  .loop(device.constant(0), step, 1,
                                        m.at(2, ofVector(row)),
                                        [&](Value other, ValueRange sum) {
                                          Value column = numbered(other);
                                          return SmallVector<Value>{m.less(
                                              sum.front(),
                                              m.at(0, ofMatrix(row, column)),
                                              m.at(2, ofVector(column)))};
                                        })
                                  .front();
                  if (!op.getUnitDiagonal())
                    sum = arith::DivFOp::create(builder, sum,
                                                m.at(0, ofMatrix(row, row)));
                  m.put(2, ofVector(row), sum);
                  return SmallVector<Value>();
                });
  });
}

} // namespace

std::string whyNotTriangular(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (element.isF32() || element.isF64())
    return "";
  std::string reason;
  llvm::raw_string_ostream(reason)
      << "'" << op->getName() << "' of " << element << "; convert the matrices";
  return reason;
}

void emitTriangular(DeviceKernel &device, Operation *op) {
  if (auto cholesky = dyn_cast<stablehlo::CholeskyOp>(op))
    return emitCholesky(device, cholesky);
  emitTriangularSolve(device, cast<stablehlo::TriangularSolveOp>(op));
}

} // namespace shardsmith::cuda
