// SPDX-License-Identifier: Apache-2.0

#include "LinearAlgebra.h"

#include "Elementwise.h"

#include <cmath>

namespace shardsmith::inline interpreter {
namespace {

int64_t matrixCount(const Tensor &a) {
  return elementCount(a.shape().drop_back(2));
}

/// Factors one n x n matrix: in = factor * factor^T, factor lower triangular.
/// `at(i, j)` reads the lower triangle, `put(i, j, value)` writes the factor.
template <typename At, typename Put>
void factor(int64_t n, double *work, At at, Put put) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      double sum = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= work[i * n + k] * work[j * n + k];
      // A negative pivot makes a NaN, which spreads over the rest.
      work[i * n + j] = i == j ? std::sqrt(sum) : sum / work[j * n + j];
      put(i, j, work[i * n + j]);
    }
}

} // namespace

Tensor cholesky(const Tensor &a, bool lower) {
  const Tensor in = convert(a, ElementType::F64).dense();
  Tensor result = Tensor::zeros(ElementType::F64, a.shape()).denseCopy();
  const int64_t n = a.shape().back();
  std::unique_ptr<double[]> work(new double[n * n]);
  for (int64_t matrix = 0; matrix < matrixCount(a); ++matrix) {
    const double *source = in.data<double>() + matrix * n * n;
    double *target = result.mutableData<double>() + matrix * n * n;
    factor(
        n, work.get(),
        [&](int64_t i, int64_t j) {
          return lower ? source[i * n + j] : source[j * n + i];
        },
        [&](int64_t i, int64_t j, double value) {
          target[lower ? i * n + j : j * n + i] = value;
        });
    bool isDefinite = true;
    for (int64_t i = 0; i < n * n; ++i)
      isDefinite &= !std::isnan(target[i]);
    if (!isDefinite)
      std::fill_n(target, n * n, std::nan(""));
  }
  return convert(result, a.type());
}

Tensor triangularSolve(const Tensor &a, const Tensor &b,
                       TriangularSolveOptions options) {
  const Tensor coefficients = convert(a, ElementType::F64).dense();
  Tensor result = convert(b, ElementType::F64).denseCopy();
  const int64_t n = a.shape().back();
  const int64_t rows = b.shape()[b.rank() - 2];
  const int64_t columns = b.shape().back();
  // x op(a) = b is op(a)^T x^T = b^T: the same loop with a transposed once
  // more and the roles of rows and columns of x exchanged.
  const bool transposed = options.transposeA != !options.leftSide;
  const bool lower = options.lower != transposed;
  const int64_t systems = options.leftSide ? columns : rows;
  const int64_t unknownStep = options.leftSide ? columns : 1;
  const int64_t systemStep = options.leftSide ? 1 : columns;

  for (int64_t matrix = 0; matrix < matrixCount(a); ++matrix) {
    const double *m = coefficients.data<double>() + matrix * n * n;
    auto at = [&](int64_t i, int64_t j) {
      return transposed ? m[j * n + i] : m[i * n + j];
    };
    double *all = result.mutableData<double>() + matrix * rows * columns;
    for (int64_t system = 0; system < systems; ++system) {
      double *x = all + system * systemStep;
      for (int64_t step = 0; step < n; ++step) {
        const int64_t i = lower ? step : n - 1 - step;
        double sum = x[i * unknownStep];
        for (int64_t done = 0; done < step; ++done) {
          const int64_t j = lower ? done : n - 1 - done;
          sum -= at(i, j) * x[j * unknownStep];
        }
        x[i * unknownStep] = options.unitDiagonal ? sum : sum / at(i, i);
      }
    }
  }
  return convert(result, b.type());
}

} // namespace shardsmith::inline interpreter
