// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Spread.h"

#include "shardsmith/Interpreter/RoundingNoise.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace shardsmith::inline interpreter {
namespace {

/// The elements of a float tensor by position; of no tensor zeros.
class Floats {
public:
  explicit Floats(const Tensor &tensor) : tensor(tensor) {}
  double operator[](int64_t position) const {
    return tensor ? tensor.asDouble(tensor.isSplat() ? 0 : position) : 0;
  }

private:
  const Tensor &tensor;
};

int64_t countUnequalIntegers(const Tensor &a, const Tensor &b) {
  int64_t unequal = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    unequal += a.asInteger(i) != b.asInteger(i);
  return unequal;
}

bool isSame(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

} // namespace

Spread::Spread(Tensor expected, Tensor before, Tensor otherwise,
               bool isComputed)
    : expectedTensor(std::move(expected)),
      directions{Direction{std::move(before)}, Direction{std::move(otherwise)}},
      isComputed(isComputed) {
  const auto size =
      static_cast<double>(std::max<int64_t>(expectedTensor.size(), 1));
  const Floats values(expectedTensor);
  for (int64_t i = 0; isFloat(expectedTensor.type()) && i < size; ++i) {
    const double value = values[i];
    if (!std::isfinite(value))
      continue;
    meanSquare += value * value / size;
    largestMagnitude = std::max(largestMagnitude, std::fabs(value));
  }
  for (Direction &direction : directions) {
    // What a tensor of another type was changed by is not known.
    if (direction.from && (direction.from.type() != expectedTensor.type() ||
                           direction.from.shape() != expectedTensor.shape()))
      direction.from = Tensor();
    const Floats from(direction.from);
    for (int64_t i = 0; isFloat(expectedTensor.type()) && i < size; ++i)
      if (const double along = values[i] - from[i]; std::isfinite(along))
        direction.meanSquare += along * along / size;
  }
}

Deviation Spread::deviationOf(const Tensor &actual) const {
  Deviation result;
  if (!isFloat(actual.type())) {
    result.unequal = countUnequalIntegers(actual, expectedTensor);
    return result;
  }
  const Floats values(actual), expected(expectedTensor);
  const int64_t size = actual.size();
  double squares = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (isSame(values[i], expected[i]))
      continue;
    if (!std::isfinite(values[i]) || !std::isfinite(expected[i])) {
      ++result.unequal;
      continue;
    }
    const double difference = values[i] - expected[i];
    result.largest = std::max(result.largest, std::fabs(difference));
    squares += difference * difference;
    for (auto [direction, scale] : llvm::zip_equal(directions, result.scale)) {
      const double along = expected[i] - Floats(direction.from)[i];
      if (std::isfinite(along) && direction.meanSquare > 0)
        scale += difference * along /
                 (static_cast<double>(size) * direction.meanSquare);
    }
  }
  if (squares > 0)
    result.rootMeanSquare = std::sqrt(squares / static_cast<double>(size));
  return result;
}

void Spread::add(const Tensor &sample) {
  samples.push_back(deviationOf(sample));
}

Deviation Spread::allowed() const {
  Deviation result;
  if (!isComputed || samples.empty())
    return result;
  const auto count = static_cast<double>(samples.size());
  double mean = 0, meanOfSquares = 0;
  for (const Deviation &sample : samples) {
    result.largest = std::max(result.largest, sample.largest);
    result.unequal = std::max(result.unequal, sample.unequal);
    mean += sample.rootMeanSquare / count;
    meanOfSquares += sample.rootMeanSquare * sample.rootMeanSquare / count;
  }
  // One step between values, even where no sample happens to show it.
  const double unit = 2 * unitRoundoff(expectedTensor.type());
  const double step = unit * std::sqrt(meanSquare);
  result.largest = factor * result.largest + unit * largestMagnitude;
  result.unequal = static_cast<int64_t>(factor) * result.unequal;
  // Of many elements all samples have about the same mean, which then says
  // more than one sample of one element does.
  const double scatter = std::sqrt(std::max(meanOfSquares - mean * mean, 0.0));
  result.rootMeanSquare = factor / 2 * mean + factor * scatter + step;

  const auto size =
      static_cast<double>(std::max<int64_t>(expectedTensor.size(), 1));
  for (size_t which = 0; which < directions.size(); ++which) {
    const double along = directions[which].meanSquare;
    if (along == 0)
      continue;
    double squares = 0;
    for (const Deviation &sample : samples)
      squares += sample.scale[which] * sample.scale[which] / count;
    // Twice what errors that have nothing in common leave.
    const double unrelated =
        2 * (std::sqrt(meanOfSquares) + step) / std::sqrt(along * size);
    result.scale[which] = factor * std::hypot(std::sqrt(squares), unrelated);
  }
  return result;
}

bool Spread::holds(const Deviation &found, const Deviation &allowed) {
  for (auto [scale, most] : llvm::zip_equal(found.scale, allowed.scale))
    if (std::fabs(scale) > most)
      return false;
  return found.largest <= allowed.largest &&
         found.rootMeanSquare <= allowed.rootMeanSquare &&
         found.unequal <= allowed.unequal;
}

} // namespace shardsmith::inline interpreter
