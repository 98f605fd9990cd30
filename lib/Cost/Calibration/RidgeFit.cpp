// SPDX-License-Identifier: Apache-2.0

#include "RidgeFit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardsmith {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/// Largest change of one dimension in one step.
constexpr double longestStep = 1.5;
/// The change of one dimension by which its derivative is estimated.
constexpr double difference = 0.05;

/// Solves a x = b for a symmetric positive definite `a` (Cholesky).
Vector solve(Matrix a, Vector b) {
  size_t n = b.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (size_t k = 0; k < j; ++k)
        sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / a[j][j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k)
      b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

class Fit {
public:
  Fit(const Residuals &residuals, std::span<const double> weights,
      const RidgeFitOptions &options)
      : residuals(residuals), weights(weights.begin(), weights.end()),
        options(options) {
    double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double &weight : this->weights)
      weight /= sum;
  }

  double objective(const Vector &at, const Vector &point) const {
    double sum = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      double size = std::abs(at[i]), limit = options.robustBeyond;
      sum += weights[i] *
             (size < limit ? size * size : 2 * limit * size - limit * limit);
    }
    for (double x : point)
      sum += options.ridge * x * x;
    return sum;
  }

  /// Derivatives of all residuals by differences: one row per residual, one
  /// column per dimension.
  Matrix derivative(const Vector &at, const Vector &point) const {
    Matrix rows(at.size(), Vector(point.size()));
    for (size_t j = 0; j < point.size(); ++j) {
      Vector moved = point;
      moved[j] += difference;
      Vector there = residuals(moved);
      for (size_t i = 0; i < at.size(); ++i)
        rows[i][j] = (there[i] - at[i]) / difference;
    }
    return rows;
  }

  /// Curvature of the objective, robust weights included.
  Matrix curvature(const Vector &at, const Matrix &rows) const {
    size_t n = rows.empty() ? 0 : rows.front().size();
    Matrix sum(n, Vector(n));
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < n; ++k)
          sum[j][k] += robustWeight(i, at[i]) * rows[i][j] * rows[i][k];
    for (size_t j = 0; j < n; ++j)
      sum[j][j] += options.ridge;
    return sum;
  }

  Vector descent(const Vector &at, const Matrix &rows,
                 const Vector &point) const {
    Vector sum(point.size());
    for (size_t j = 0; j < point.size(); ++j) {
      for (size_t i = 0; i < at.size(); ++i)
        sum[j] -= robustWeight(i, at[i]) * rows[i][j] * at[i];
      sum[j] -= options.ridge * point[j];
    }
    return sum;
  }

private:
  double robustWeight(size_t i, double residual) const {
    double size = std::abs(residual);
    return weights[i] *
           (size > options.robustBeyond ? options.robustBeyond / size : 1.0);
  }

  const Residuals &residuals;
  Vector weights;
  const RidgeFitOptions &options;
};

Vector remainingSpread(const Matrix &curvature, double ridge) {
  Vector spread;
  for (size_t j = 0; j < curvature.size(); ++j) {
    Vector unit(curvature.size());
    unit[j] = 1;
    spread.push_back(ridge * solve(curvature, unit)[j]);
  }
  return spread;
}

} // namespace

RidgeFit fitRidge(const Residuals &residuals, std::span<const double> weights,
                  size_t dimensions, const RidgeFitOptions &options) {
  Fit fit(residuals, weights, options);
  RidgeFit result;
  result.point.assign(dimensions, 0);
  Vector at = residuals(result.point);
  double best = fit.objective(at, result.point);
  double damping = 1e-4;
  result.derivative = fit.derivative(at, result.point);
  for (int step = 0; step < options.mostSteps; ++step) {
    Matrix curvature = fit.curvature(at, result.derivative);
    Vector descent = fit.descent(at, result.derivative, result.point);
    double gain = 0;
    for (int attempt = 0; attempt < 6 && gain <= 0; ++attempt) {
      Matrix damped = curvature;
      for (size_t j = 0; j < dimensions; ++j)
        damped[j][j] += damping;
      Vector move = solve(damped, descent), point = result.point;
      for (size_t j = 0; j < dimensions; ++j)
        point[j] += std::clamp(move[j], -longestStep, longestStep);
      Vector there = residuals(point);
      double reached = fit.objective(there, point);
      gain = best - reached;
      if (!(gain > 0)) {
        gain = 0;
        damping *= 5;
        continue;
      }
      result.point = point;
      at = there;
      best = reached;
      damping /= 3;
    }
    if (gain <= 0)
      break;
    result.derivative = fit.derivative(at, result.point);
    if (gain < 1e-6)
      break;
  }
  result.spread =
      remainingSpread(fit.curvature(at, result.derivative), options.ridge);
  return result;
}

} // namespace shardsmith
