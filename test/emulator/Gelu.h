// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TEST_EMULATOR_GELU_H
#define SHARDSMITH_TEST_EMULATOR_GELU_H

#include <cmath>
#include <numbers>

namespace shardsmith::emulator {

/// The Gaussian error linear unit, as tanh approximates it.
inline double gelu(double x) {
  double scale = std::sqrt(2 * std::numbers::inv_pi);
  return x / 2 * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_GELU_H
