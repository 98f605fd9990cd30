// SPDX-License-Identifier: Apache-2.0
//
// The constants of a stack profile that calibration may change, and the range
// in which each is thought to lie.

#ifndef SHARDSMITH_LIB_COST_CALIBRATION_CONSTANTRANGES_H
#define SHARDSMITH_LIB_COST_CALIBRATION_CONSTANTRANGES_H

#include "shardsmith/Cost/Calibration/Calibration.h"

#include <span>
#include <string>
#include <vector>

namespace shardsmith {

/// The range of one constant around its start: factors of exp(±range), or
/// differences of ±range, always within [low, high].
struct ConstantRange {
  double StackProfile::*value;
  enum Kind { Factor, Sum } kind;
  double range;
  double low = 0, high = 1e9;
  /// Whether the constant is fitted even if few steps were measured.
  bool isNarrow = false;

  /// The name `section.key`, as in profile files.
  std::string name() const;
};

/// The constants to fit to measured times, as the options say, with few or with
/// many measured steps.
std::vector<ConstantRange> timeConstants(const CalibrationOptions &options,
                                         bool areMany);
std::vector<ConstantRange> memoryConstants(const CalibrationOptions &options);

/// Whether calibration may change the constant of this name.
bool isFittable(std::string_view name);

/// The profile with each constant at a distance from its start, in units of its
/// range.
StackProfile moved(const StackProfile &start, std::span<const ConstantRange> by,
                   std::span<const double> distances);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_CALIBRATION_CONSTANTRANGES_H
