// SPDX-License-Identifier: Apache-2.0
//
// A robust least-squares fit with a ridge: damped Gauss-Newton steps for a few
// dimensions and a few hundred residuals.

#ifndef SHARDSMITH_LIB_COST_CALIBRATION_RIDGEFIT_H
#define SHARDSMITH_LIB_COST_CALIBRATION_RIDGEFIT_H

#include <functional>
#include <span>
#include <vector>

namespace shardsmith {

/// Residuals at a point; the same number each time, all finite.
using Residuals =
    std::function<std::vector<double>(std::span<const double> point)>;

struct RidgeFitOptions {
  double ridge = 1e-3;
  double robustBeyond = 0.15;
  int mostSteps = 12;
};

struct RidgeFit {
  std::vector<double> point;
  /// How little was learned of each dimension: the variance that is left ÷ the
  /// variance that the ridge alone would leave, in (0, 1].
  std::vector<double> spread;
  /// Rows of the derivative at `point`, one per residual.
  std::vector<std::vector<double>> derivative;
};

/// The `x` near the origin that minimises
///   sum_i weights_i rho(residual_i(x)) + ridge |x|²
/// by damped Gauss-Newton steps with derivatives from differences; `rho` is
/// Huber's. Weights are taken relative to their sum.
RidgeFit fitRidge(const Residuals &residuals, std::span<const double> weights,
                  size_t dimensions, const RidgeFitOptions &options);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_CALIBRATION_RIDGEFIT_H
