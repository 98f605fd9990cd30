// SPDX-License-Identifier: Apache-2.0
//
// The constants of a stack profile that calibration may move, and how far.

#ifndef SHARDSMITH_LIB_COST_CALIBRATION_MOVEMENTS_H
#define SHARDSMITH_LIB_COST_CALIBRATION_MOVEMENTS_H

#include "shardsmith/Cost/Calibration/Calibration.h"

#include <span>
#include <string>
#include <vector>

namespace shardsmith {

/// How a constant may move: by factors of exp(±range) or by ±range, within
/// [low, high].
struct Movement {
  double StackProfile::*value;
  enum Kind { Factor, Sum } kind;
  double range;
  double low = 0, high = 1e9;
  /// Worth moving with few measured steps.
  bool isNarrow = false;

  /// `section.key`, as profiles have it.
  std::string name() const;
};

/// Those that the options let move, with only a few or with many measured
/// steps.
std::vector<Movement> timeMovements(const CalibrationOptions &options,
                                    bool areMany);
std::vector<Movement> memoryMovements(const CalibrationOptions &options);

/// Whether a constant can move at all.
bool isMovable(std::string_view name);

/// `distances`: in ranges.
StackProfile moved(const StackProfile &start, std::span<const Movement> by,
                   std::span<const double> distances);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_CALIBRATION_MOVEMENTS_H
