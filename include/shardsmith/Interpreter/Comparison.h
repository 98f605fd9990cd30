// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERPRETER_COMPARISON_H
#define SHARDSMITH_INTERPRETER_COMPARISON_H

#include "shardsmith/Interpreter/Tensor.h"

#include <string>

namespace shardsmith::inline interpreter {

/// How far a float may be from the expected one. Any satisfied bound is
/// enough; the default accepts equal values only. Integers and booleans must
/// always be equal. NaN matches NaN, an infinity only itself.
struct Tolerance {
  double absolute = 0;
  /// Times the magnitude of the expected element.
  double relative = 0;
  /// Times the largest finite magnitude in the expected tensor: for elements
  /// that are small because large terms cancel.
  double relativeToLargest = 0;
  /// Values of the element type in between.
  int64_t ulps = 0;
};

struct ComparisonReport {
  /// Elements compared and elements outside the tolerance.
  int64_t elements = 0;
  int64_t mismatches = 0;
  double largestAbsolute = 0;
  double largestRelative = 0;
  int64_t largestUlps = 0;
  /// Position of the first mismatch or, if there is none, of the largest
  /// absolute difference.
  Shape where;
  double actual = 0, expected = 0;
  /// Set when types or shapes differ and nothing was compared.
  std::string incomparable;

  bool holds() const { return incomparable.empty() && mismatches == 0; }
  /// One line: what differs, by how much and where.
  std::string str() const;
};

ComparisonReport compareTensors(const Tensor &actual, const Tensor &expected,
                                const Tolerance &tolerance);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_COMPARISON_H
