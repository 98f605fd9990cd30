// SPDX-License-Identifier: Apache-2.0
//
// Fits the constants of a stack profile to measured steps.
//
//   minimise   sum over steps  weight · rho(log(predicted / measured))
//            + ridge · sum over constants  (distance from start / range)²
//
// rho grows linearly beyond `robustBeyond`, so that a broken measurement does
// not bend the rest. A constant that the steps say nothing about stays where
// it was. docs/calibration.md describes the procedure.

#ifndef SHARDSMITH_COST_CALIBRATION_CALIBRATION_H
#define SHARDSMITH_COST_CALIBRATION_CALIBRATION_H

#include "shardsmith/Cost/Profiles/StackProfile.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardsmith {

/// A step that somebody measured; at least one of the two figures.
struct Measurement {
  /// For messages.
  std::string name;
  std::optional<double> seconds;
  std::optional<double> memoryGib;
  double weight = 1;
};

struct Prediction {
  double seconds = 0;
  double memoryGib = 0;
};

/// What the model says of measured step `step` under a profile. Must be
/// positive, and a pure function.
using Predict =
    std::function<Prediction(size_t step, const StackProfile &profile)>;

struct CalibrationOptions {
  double ridge = 0.002;
  /// Of the logarithm of the ratio. Steps of one stack fit better than those of
  /// many together, for which this is too little.
  double robustBeyond = 0.05;
  /// `section.key` of the constants that may move. Empty: few with less than
  /// ten measured times, all that matter from ten on; and those of memory.
  std::vector<std::string> constants;
  /// Constants that stay where they are.
  std::vector<std::string> fixed;
};

struct CalibratedConstant {
  std::string name;
  double before = 0;
  double after = 0;
  /// The steps narrow the constant down to less than half of the range that it
  /// was thought to be in.
  bool isIdentified = false;
};

/// Errors as fractions: mean absolute, median absolute, mean.
struct ErrorSummary {
  double mean = 0;
  double median = 0;
  double bias = 0;
};

struct ProfileCalibration {
  StackProfile profile;
  size_t times = 0;
  size_t memories = 0;
  ErrorSummary timeBefore, timeAfter;
  ErrorSummary memoryBefore, memoryAfter;
  std::vector<CalibratedConstant> constants;
};

inline constexpr size_t leastCalibrationSteps = 3;
inline constexpr size_t wideCalibrationSteps = 10;

/// Deterministic. On failure returns nothing and a sentence in `error`: too
/// few steps, measurements that contradict each other, unknown constants.
std::optional<ProfileCalibration> calibrate(std::span<const Measurement> steps,
                                            const Predict &predict,
                                            const StackProfile &start,
                                            const CalibrationOptions &options,
                                            std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_COST_CALIBRATION_CALIBRATION_H
