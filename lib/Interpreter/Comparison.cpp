// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Comparison.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

/// Integers that count the values of a float type from zero on, negative below
/// it: their difference is the number of steps between two values.
template <typename T> int64_t stepsFromZero(T value) {
  using Bits = std::conditional_t<
      sizeof(T) == 8, uint64_t,
      std::conditional_t<
          sizeof(T) == 4, uint32_t,
          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
  const auto bits = std::bit_cast<Bits>(value);
  constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  const auto magnitude = static_cast<int64_t>(bits & ~sign);
  return bits & sign ? -magnitude : magnitude;
}

struct Difference {
  double absolute = 0;
  double relative = 0;
  int64_t ulps = 0;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename T> Difference differenceOf(T actual, T expected) {
  const auto a = static_cast<double>(actual);
  const auto e = static_cast<double>(expected);
  if (a == e || (std::isnan(a) && std::isnan(e)))
    return {};
  if (!std::isfinite(a) || !std::isfinite(e))
    return {infinity, infinity, unbounded};
  Difference result;
  result.absolute = std::fabs(a - e);
  result.relative = e == 0 ? infinity : result.absolute / std::fabs(e);
  int64_t steps;
  if (__builtin_sub_overflow(stepsFromZero(actual), stepsFromZero(expected),
                             &steps))
    steps = unbounded;
  result.ulps = std::abs(steps);
  return result;
}

template <typename T> double largestMagnitude(const Tensor &tensor) {
  double largest = 0;
  const int64_t stored = tensor.isSplat() ? 1 : tensor.size();
  for (const T &element : ArrayRef<T>(tensor.data<T>(), stored))
    if (double magnitude = std::fabs(static_cast<double>(element));
        std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  return largest;
}

Shape positionOf(int64_t index, ArrayRef<int64_t> shape) {
  Shape position(shape.size(), 0);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    position[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return position;
}

template <typename T>
ComparisonReport compareTyped(const Tensor &actual, const Tensor &expected,
                              const Tolerance &tolerance) {
  ComparisonReport report;
  report.elements = actual.size();
  const T *left = actual.data<T>();
  const T *right = expected.data<T>();
  const int64_t leftStep = actual.isSplat() ? 0 : 1;
  const int64_t rightStep = expected.isSplat() ? 0 : 1;
  constexpr bool isExact = !isFloatElement<T>;
  double allowance = tolerance.absolute;
  if (tolerance.relativeToLargest > 0 && !isExact)
    allowance = std::max(allowance, tolerance.relativeToLargest *
                                        largestMagnitude<T>(expected));

  int64_t shown = -1;
  for (int64_t i = 0; i < report.elements; ++i) {
    const T a = left[i * leftStep], e = right[i * rightStep];
    Difference difference;
    bool isClose;
    if constexpr (isExact) {
      isClose = a == e;
      if (!isClose) {
        difference.absolute =
            std::fabs(static_cast<double>(a) - static_cast<double>(e));
        difference.relative = infinity;
        difference.ulps = unbounded;
      }
    } else {
      difference = differenceOf(a, e);
      isClose = difference.absolute <= allowance ||
                difference.relative <= tolerance.relative ||
                difference.ulps <= tolerance.ulps;
    }
    const bool isFirstMismatch = !isClose && report.mismatches == 0;
    const bool isWorst =
        report.mismatches == 0 && difference.absolute > report.largestAbsolute;
    if (isFirstMismatch || isWorst)
      shown = i;
    report.mismatches += !isClose;
    report.largestAbsolute =
        std::max(report.largestAbsolute, difference.absolute);
    report.largestRelative =
        std::max(report.largestRelative, difference.relative);
    report.largestUlps = std::max(report.largestUlps, difference.ulps);
  }
  if (shown >= 0) {
    report.where = positionOf(shown, actual.shape());
    report.actual = static_cast<double>(left[shown * leftStep]);
    report.expected = static_cast<double>(right[shown * rightStep]);
  }
  return report;
}

} // namespace

ComparisonReport compareTensors(const Tensor &actual, const Tensor &expected,
                                const Tolerance &tolerance) {
  if (actual.type() != expected.type() || actual.shape() != expected.shape()) {
    ComparisonReport report;
    report.incomparable = "tensor<" +
                          describeType(actual.type(), actual.shape()) +
                          "> is not tensor<" +
                          describeType(expected.type(), expected.shape()) + ">";
    return report;
  }
  return dispatchStored(actual.type(), [&]<typename T>(Tag<T>) {
    return compareTyped<T>(actual, expected, tolerance);
  });
}

std::string ComparisonReport::str() const {
  if (!incomparable.empty())
    return incomparable;
  std::string text;
  raw_string_ostream os(text);
  if (mismatches == 0)
    os << "all " << elements << " elements agree";
  else
    os << mismatches << " of " << elements << " elements differ";
  if (largestAbsolute == 0)
    return text;
  os << "; largest difference " << format("%.3g", largestAbsolute)
     << " absolute, " << format("%.3g", largestRelative) << " relative";
  os << (mismatches == 0 ? "; largest at [" : "; first at [");
  interleaveComma(where, os);
  os << "]: " << format("%.9g", actual) << " instead of "
     << format("%.9g", expected);
  return text;
}

} // namespace shardsmith::inline interpreter
