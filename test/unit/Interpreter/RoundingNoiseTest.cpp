// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/RoundingNoise.h"

#include "TensorBuilders.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

namespace shardsmith {
namespace {

using mlir::Operation;

/// An op whose results nobody asks about.
struct SomeOp {
  SomeOp() {
    context.loadDialect<mlir::func::FuncDialect>();
    op = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  }
  ~SomeOp() { op->erase(); }
  mlir::MLIRContext context;
  mlir::ModuleOp op;
};

/// Root of the mean square of relative differences, and the largest.
std::pair<double, double> differences(const Tensor &a, const Tensor &b) {
  double squares = 0, largest = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double relative =
        std::fabs((a.asDouble(i) - b.asDouble(i)) / b.asDouble(i));
    squares += relative * relative;
    largest = std::max(largest, relative);
  }
  return {std::sqrt(squares / a.size()), largest};
}

Tensor ramp(ElementType type, int64_t size) {
  Tensor result = Tensor::zeros(type, {size}).denseCopy();
  for (int64_t i = 0; i < size; ++i)
    result.setElement(i, Tensor::filled(type, {}, 1 + double(i) / size));
  return result;
}

TEST(RoundingNoise, UnitsAreThoseOfTheFormats) {
  EXPECT_EQ(unitRoundoff(ElementType::F64), 0x1p-53);
  EXPECT_EQ(unitRoundoff(ElementType::F32), 0x1p-24);
  EXPECT_EQ(unitRoundoff(ElementType::F16), 0x1p-11);
  EXPECT_EQ(unitRoundoff(ElementType::BF16), 0x1p-8);
  EXPECT_EQ(unitRoundoff(ElementType::F8E4M3FN), 0x1p-4);
  EXPECT_EQ(unitRoundoff(ElementType::F8E5M2), 0x1p-3);
  EXPECT_EQ(unitRoundoff(ElementType::I32), 0);
}

/// One rounding to the nearest is off by at most a unit; two executions differ
/// by the square root of two of that, and by one step between values (two
/// units) at most. The noise is as large, and at most two steps.
TEST(RoundingNoise, OneRoundingIsOffByAboutAUnit) {
  SomeOp some;
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16,
                           ElementType::BF16, ElementType::F8E4M3FN}) {
    RoundingNoise noise(7);
    const Tensor before = ramp(type, 20000);
    Tensors results = {before};
    noise.shakeResults(some.op, Rounding::Once, {}, results);
    auto [mean, largest] = differences(results[0], before);
    const double unit = unitRoundoff(type);
    EXPECT_GT(mean, 0.6 * unit) << elementTypeName(type).str();
    EXPECT_LT(mean, 1.0 * unit) << elementTypeName(type).str();
    EXPECT_LE(largest, 4.01 * unit) << elementTypeName(type).str();
    EXPECT_EQ(noise.types().count(type), 1u);
  }
}

TEST(RoundingNoise, WhatIsExactStays) {
  SomeOp some;
  RoundingNoise noise(7);
  const Tensor values = f32({4}, {0, 1, -INFINITY, NAN});
  Tensors results = {values};
  noise.shakeResults(some.op, Rounding::None, {}, results);
  EXPECT_TRUE(isIdentical(results[0], values));
  for (int repeat = 0; repeat < 20; ++repeat)
    noise.shakeResults(some.op, Rounding::Once, {}, results);
  EXPECT_EQ(results[0].asDouble(0), 0);
  EXPECT_EQ(results[0].asDouble(2), -INFINITY);
  EXPECT_TRUE(std::isnan(results[0].asDouble(3)));

  // To a finer type everything converts exactly.
  results = {ramp(ElementType::F32, 10)};
  const Tensor narrow = ramp(ElementType::BF16, 10);
  noise.shakeResults(some.op, Rounding::Conversion, {narrow}, results);
  EXPECT_TRUE(isIdentical(results[0], ramp(ElementType::F32, 10)));
  results = {narrow};
  for (int repeat = 0; repeat < 20; ++repeat)
    noise.shakeResults(some.op, Rounding::Conversion,
                       {ramp(ElementType::F32, 10)}, results);
  EXPECT_FALSE(isIdentical(results[0], narrow));
}

TEST(RoundingNoise, ValuesStayInTheirRange) {
  SomeOp some;
  RoundingNoise noise(7);
  const float most = std::numeric_limits<float>::max();
  Tensors results = {f32({3}, {most, -most, 0x1p-149f})};
  for (int repeat = 0; repeat < 50; ++repeat)
    noise.shakeResults(some.op, Rounding::Once, {}, results);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isfinite(results[0].asDouble(i)));
  EXPECT_LT(std::fabs(results[0].asDouble(2)), 0x1p-140);
}

TEST(RoundingNoise, UnderflowOfHalvesIsNoZero) {
  SomeOp some;
  RoundingNoise noise(7);
  const Tensor small = Tensor::filled(ElementType::F16, {2000}, 1e-4).dense();
  // Of a splat all elements are moved alike.
  Tensors results = {Tensor::zeros(ElementType::F16, {2000}).dense()};
  noise.shakeResults(some.op, Rounding::Once, {small, small}, results);
  int64_t moved = 0;
  for (int64_t i = 0; i < 2000; ++i)
    moved += results[0].asDouble(i) != 0;
  EXPECT_GT(moved, 100);
  // Nothing times zero is anything else.
  const Tensor zeros = Tensor::zeros(ElementType::F16, {2000}).dense();
  results = {zeros};
  noise.shakeResults(some.op, Rounding::Once, {small, zeros}, results);
  EXPECT_TRUE(isIdentical(results[0], zeros));
}

TEST(RoundingNoise, IsTheSameForASeed) {
  SomeOp some;
  Tensors first = {ramp(ElementType::BF16, 100)}, second = first, other = first;
  RoundingNoise a(1), b(1), c(2);
  a.shakeResults(some.op, Rounding::Once, {}, first);
  b.shakeResults(some.op, Rounding::Once, {}, second);
  c.shakeResults(some.op, Rounding::Once, {}, other);
  EXPECT_TRUE(isIdentical(first[0], second[0]));
  EXPECT_FALSE(isIdentical(first[0], other[0]));
}

} // namespace
} // namespace shardsmith
