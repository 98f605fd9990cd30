// SPDX-License-Identifier: Apache-2.0
//
// Whether a result agrees with an expected one as well as two correct
// executions do. What "as well" means is taken from samples: executions that
// round at random (RoundingNoise.h). docs/verify.md has the criteria.

#ifndef SHARDSMITH_INTERPRETER_SPREAD_H
#define SHARDSMITH_INTERPRETER_SPREAD_H

#include "shardsmith/Interpreter/Tensor.h"

#include <array>
#include <vector>

namespace shardsmith::inline interpreter {

/// How a tensor differs from the expected one.
struct Deviation {
  /// Largest and root of the mean square of the differences of floats.
  double largest = 0;
  double rootMeanSquare = 0;
  /// By what fraction something in the tensor is too large: differences along
  /// each of the directions, which errors that have nothing in common cancel
  /// out of. First the change that the step made, then what of it depends on
  /// the batch.
  static constexpr size_t directions = 2;
  std::array<double, directions> scale{};
  /// Integers and booleans that are not equal, and floats of which one is
  /// finite and the other is not.
  int64_t unequal = 0;
};

/// Of one result of a program.
class Spread {
public:
  /// The result was `expected`. It replaces `before`, which is no tensor if it
  /// replaces nothing, and would be `otherwise` with another batch.
  /// `isComputed` is false for results that are arguments: those must be equal.
  Spread(Tensor expected, Tensor before, Tensor otherwise, bool isComputed);

  /// A sample: what an execution with random roundings gave.
  void add(const Tensor &sample);

  Deviation deviationOf(const Tensor &actual) const;
  /// What the deviations of a correct execution stay below.
  Deviation allowed() const;
  static bool holds(const Deviation &found, const Deviation &allowed);

  const Tensor &expected() const { return expectedTensor; }

  /// What samples are multiplied with.
  static constexpr double factor = 8;

private:
  Tensor expectedTensor;
  /// A direction is what is expected less `from`, or all of it.
  struct Direction {
    Tensor from;
    double meanSquare = 0;
  };
  std::array<Direction, Deviation::directions> directions;
  bool isComputed;
  double meanSquare = 0;
  double largestMagnitude = 0;
  std::vector<Deviation> samples;
};

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_SPREAD_H
