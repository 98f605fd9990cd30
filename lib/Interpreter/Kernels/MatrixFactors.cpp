// SPDX-License-Identifier: Apache-2.0

#include "MatrixFactors.h"

#include "Elementwise.h"
#include "shardsmith/Support/StableSort.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace shardsmith::inline interpreter {
namespace {

/// A matrix in rows.
struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}

  double &operator()(int64_t row, int64_t column) {
    return values[row * columns + column];
  }

  int64_t rows, columns;
  std::vector<double> values;
};

/// Calls `factorize(matrix, number)` for every matrix of a batch.
template <typename Factorize>
void forEachMatrix(const Tensor &a, Factorize factorize) {
  const Tensor in = convert(a, ElementType::F64).dense();
  Matrix matrix(a.shape().drop_back().back(), a.shape().back());
  const auto elements = static_cast<int64_t>(matrix.values.size());
  const int64_t count = elements == 0 ? 0 : a.size() / elements;
  for (int64_t number = 0; number < count; ++number) {
    std::copy_n(in.data<double>() + number * elements, elements,
                matrix.values.begin());
    factorize(matrix, number);
  }
}

/// A tensor with `sizes` per matrix of the batch of `a`.
Tensor perMatrix(const Tensor &a, ElementType type,
                 llvm::ArrayRef<int64_t> sizes) {
  Shape shape(a.shape().drop_back(2).begin(), a.shape().drop_back(2).end());
  shape.append(sizes.begin(), sizes.end());
  return Tensor::zeros(type, shape).denseCopy();
}

template <typename T>
void put(Tensor &tensor, const std::vector<T> &values, int64_t number) {
  std::copy(values.begin(), values.end(),
            tensor.mutableData<T>() +
                number * static_cast<int64_t>(values.size()));
}

/// Reflects column `step` below the diagonal away. `vector` becomes what the
/// columns of a matrix are reflected along, of length √2, or zero.
void findReflection(Matrix &a, int64_t step, std::vector<double> &vector) {
  std::fill(vector.begin(), vector.end(), 0.0);
  double below = 0;
  for (int64_t row = step + 1; row < a.rows; ++row)
    below = std::hypot(below, a(row, step));
  if (below == 0)
    return;
  const double top = a(step, step);
  const double length = std::hypot(top, below);
  const double image = top < 0 ? length : -length;
  // The vector v = x - image e has vᵀ v = 2 length (length + |top|).
  const double scale = std::sqrt(length) * std::sqrt(length + std::fabs(top));
  vector[step] = (top - image) / scale;
  for (int64_t row = step + 1; row < a.rows; ++row)
    vector[row] = a(row, step) / scale;
}

void reflect(Matrix &a, const std::vector<double> &vector) {
  for (int64_t column = 0; column < a.columns; ++column) {
    double along = 0;
    for (int64_t row = 0; row < a.rows; ++row)
      along += vector[row] * a(row, column);
    for (int64_t row = 0; row < a.rows; ++row)
      a(row, column) -= along * vector[row];
  }
}

/// Rotates rows and columns p and q so that their element becomes zero.
void rotate(Matrix &a, Matrix &vectors, int64_t p, int64_t q) {
  if (a(p, q) == 0)
    return;
  const double half = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double tangent =
      (half < 0 ? -1 : 1) / (std::fabs(half) + std::hypot(half, 1.0));
  const double cosine = 1 / std::hypot(tangent, 1.0);
  const double sine = tangent * cosine;
  auto turn = [&](double &first, double &second) {
    const double old = first;
    first = cosine * old - sine * second;
    second = sine * old + cosine * second;
  };
  for (int64_t i = 0; i < a.rows; ++i)
    turn(a(i, p), a(i, q));
  for (int64_t i = 0; i < a.rows; ++i)
    turn(a(p, i), a(q, i));
  for (int64_t i = 0; i < a.rows; ++i)
    turn(vectors(i, p), vectors(i, q));
}

double offDiagonal(Matrix &a) {
  double squares = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < i; ++j)
      squares += a(i, j) * a(i, j);
  return squares;
}

} // namespace

llvm::SmallVector<Tensor> qr(const Tensor &a) {
  const int64_t rows = a.shape().drop_back().back(), columns = a.shape().back();
  const int64_t least = std::min(rows, columns);
  Tensor allQ = perMatrix(a, ElementType::F64, {rows, least});
  Tensor allR = perMatrix(a, ElementType::F64, {least, columns});
  forEachMatrix(a, [&](Matrix &matrix, int64_t number) {
    std::vector<std::vector<double>> reflections(least,
                                                 std::vector<double>(rows));
    for (int64_t step = 0; step < least; ++step) {
      findReflection(matrix, step, reflections[step]);
      reflect(matrix, reflections[step]);
    }
    Matrix r(least, columns), q(rows, least);
    for (int64_t row = 0; row < least; ++row)
      for (int64_t column = row; column < columns; ++column)
        r(row, column) = matrix(row, column);
    for (int64_t i = 0; i < least; ++i)
      q(i, i) = 1;
    for (int64_t step = least; step-- > 0;)
      reflect(q, reflections[step]);
    put(allQ, q.values, number);
    put(allR, r.values, number);
  });
  return {convert(allQ, a.type()), convert(allR, a.type())};
}

llvm::SmallVector<Tensor> eigh(const Tensor &a) {
  const int64_t size = a.shape().back();
  Tensor allValues = perMatrix(a, ElementType::F64, {size});
  Tensor allVectors = perMatrix(a, ElementType::F64, {size, size});
  forEachMatrix(a, [&](Matrix &matrix, int64_t number) {
    Matrix vectors(size, size);
    for (int64_t i = 0; i < size; ++i) {
      vectors(i, i) = 1;
      for (int64_t j = 0; j < i; ++j)
        matrix(j, i) = matrix(i, j);
    }
    // Converges quadratically once it is near.
    for (int sweep = 0; sweep < 60 && offDiagonal(matrix) > 0; ++sweep)
      for (int64_t q = 1; q < size; ++q)
        for (int64_t p = 0; p < q; ++p)
          rotate(matrix, vectors, p, q);
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    stableSortBy(order, [&](int64_t i) { return matrix(i, i); });
    std::vector<double> values(size);
    Matrix sorted(size, size);
    for (int64_t i = 0; i < size; ++i) {
      values[i] = matrix(order[i], order[i]);
      for (int64_t row = 0; row < size; ++row)
        sorted(row, i) = vectors(row, order[i]);
    }
    put(allValues, values, number);
    put(allVectors, sorted.values, number);
  });
  return {convert(allValues, a.type()), convert(allVectors, a.type())};
}

llvm::SmallVector<Tensor> lu(const Tensor &a) {
  const int64_t rows = a.shape().drop_back().back(), columns = a.shape().back();
  const int64_t least = std::min(rows, columns);
  Tensor factors = perMatrix(a, ElementType::F64, {rows, columns});
  Tensor pivots = perMatrix(a, ElementType::I32, {least});
  Tensor orders = perMatrix(a, ElementType::I32, {rows});
  forEachMatrix(a, [&](Matrix &matrix, int64_t number) {
    std::vector<int32_t> pivot(least), order(rows);
    std::iota(order.begin(), order.end(), 0);
    for (int64_t step = 0; step < least; ++step) {
      int64_t largest = step;
      for (int64_t row = step + 1; row < rows; ++row)
        if (std::fabs(matrix(row, step)) > std::fabs(matrix(largest, step)))
          largest = row;
      pivot[step] = static_cast<int32_t>(largest);
      std::swap(order[step], order[largest]);
      for (int64_t column = 0; column < columns; ++column)
        std::swap(matrix(step, column), matrix(largest, column));
      if (matrix(step, step) == 0)
        continue;
      for (int64_t row = step + 1; row < rows; ++row) {
        const double factor = matrix(row, step) /= matrix(step, step);
        for (int64_t column = step + 1; column < columns; ++column)
          matrix(row, column) -= factor * matrix(step, column);
      }
    }
    put(factors, matrix.values, number);
    put(pivots, pivot, number);
    put(orders, order, number);
  });
  return {convert(factors, a.type()), pivots, orders};
}

} // namespace shardsmith::inline interpreter
