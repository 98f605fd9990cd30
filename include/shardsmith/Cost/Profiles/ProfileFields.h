// SPDX-License-Identifier: Apache-2.0
//
// The constants of a stack profile by name, for files and for calibration.

#ifndef SHARDSMITH_COST_PROFILES_PROFILEFIELDS_H
#define SHARDSMITH_COST_PROFILES_PROFILEFIELDS_H

#include "shardsmith/Cost/Profiles/StackProfile.h"

#include <span>

namespace shardsmith {

namespace cluster {
struct NumberRule;
} // namespace cluster

/// `matmul_rate` in the section `kernels` of a profile file.
struct ProfileNumber {
  const char *section;
  const char *key;
  double StackProfile::*value;
  /// Values it may have.
  const cluster::NumberRule *rule;
};
struct ProfileFlag {
  const char *section;
  const char *key;
  bool StackProfile::*value;
};

/// In the order of profile files.
std::span<const ProfileNumber> profileNumbers();
std::span<const ProfileFlag> profileFlags();

} // namespace shardsmith

#endif // SHARDSMITH_COST_PROFILES_PROFILEFIELDS_H
