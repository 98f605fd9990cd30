// SPDX-License-Identifier: Apache-2.0
//
// LAPACK has matrices in columns: each is copied into that order, factorized
// there, and its factors are copied out in rows.

#include "shardsmith/Runtime/MatrixFactors.h"

#include "Lapack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace shardsmith::runtime {
namespace {

/// Functions of the Fortran interface, for one element type: all arguments by
/// address, lengths of texts behind them.
template <typename Element> struct Functions {
  void (*reflect)(const int *rows, const int *columns, Element *matrix,
                  const int *stride, Element *scales, Element *work,
                  const int *workSize, int *info);
  void (*expand)(const int *rows, const int *columns, const int *reflections,
                 Element *matrix, const int *stride, const Element *scales,
                 Element *work, const int *workSize, int *info);
  void (*diagonalize)(const char *mode, const char *triangle, const int *size,
                      Element *matrix, const int *stride, Element *values,
                      Element *work, const int *workSize, int *integers,
                      const int *integerCount, int *info, size_t, size_t);
  void (*eliminate)(const int *rows, const int *columns, Element *matrix,
                    const int *stride, int *pivots, int *info);
};

template <typename Element> const Functions<Element> &functions() {
  static const Functions<Element> found = [] {
    constexpr bool isDouble = sizeof(Element) == 8;
    Functions<Element> functions;
    auto find = [](auto &function, const char *ofFloat, const char *ofDouble) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          findLapackFunction(isDouble ? ofDouble : ofFloat));
    };
    find(functions.reflect, "sgeqrf_", "dgeqrf_");
    find(functions.expand, "sorgqr_", "dorgqr_");
    find(functions.diagonalize, "ssyevd_", "dsyevd_");
    find(functions.eliminate, "sgetrf_", "dgetrf_");
    return functions;
  }();
  return found;
}

/// One thread's matrix in columns, and room for LAPACK.
template <typename Element> class Factorizer {
public:
  explicit Factorizer(const smith_matrix_factors &factors)
      : rowCount(factors.rows), columnCount(factors.columns),
        least(std::min(rowCount, columnCount)), rows(lapackSize(rowCount)),
        columns(lapackSize(columnCount)), smaller(lapackSize(least)),
        matrix(size_t(rowCount * columnCount)), scales(size_t(least)) {}

  void load(const Element *a) {
    for (int64_t row = 0; row < rowCount; ++row)
      for (int64_t column = 0; column < columnCount; ++column)
        matrix[size_t(column * rowCount + row)] = a[row * columnCount + column];
  }

  void writeQr(Element *q, Element *r) {
    withWork([&](Element *work, int size) {
      lapack.reflect(&rows, &columns, matrix.data(), &rows, scales.data(), work,
                     &size, &info);
    });
    for (int64_t row = 0; row < least; ++row)
      for (int64_t column = 0; column < columnCount; ++column)
        r[row * columnCount + column] = column < row ? 0 : at(row, column);
    withWork([&](Element *work, int size) {
      lapack.expand(&rows, &smaller, &smaller, matrix.data(), &rows,
                    scales.data(), work, &size, &info);
    });
    store(q, least);
  }

  void writeEigen(Element *values, Element *vectors) {
    const char mode = 'V', triangle = 'L';
    std::vector<int> integers(1);
    int integerCount = -1;
    withWork([&](Element *work, int size) {
      if (size != -1) {
        integerCount = integers[0];
        integers.resize(size_t(integerCount));
      }
      lapack.diagonalize(&mode, &triangle, &rows, matrix.data(), &rows, values,
                         work, &size, integers.data(), &integerCount, &info, 1,
                         1);
    });
    store(vectors, columnCount);
    if (info == 0)
      return;
    // No eigenvalues were found: the matrix is not finite.
    constexpr Element none = std::numeric_limits<Element>::quiet_NaN();
    std::fill_n(values, rowCount, none);
    std::fill_n(vectors, rowCount * columnCount, none);
  }

  void writeLu(Element *factors, int32_t *pivots, int32_t *order) {
    std::vector<int> exchanged(static_cast<size_t>(least));
    lapack.eliminate(&rows, &columns, matrix.data(), &rows, exchanged.data(),
                     &info);
    store(factors, columnCount);
    for (int64_t row = 0; row < rowCount; ++row)
      order[row] = static_cast<int32_t>(row);
    for (int64_t step = 0; step < least; ++step) {
      pivots[step] = exchanged[size_t(step)] - 1;
      std::swap(order[step], order[pivots[step]]);
    }
  }

private:
  Element at(int64_t row, int64_t column) const {
    return matrix[size_t(column * rowCount + row)];
  }

  /// The first `count` columns, in rows.
  void store(Element *target, int64_t count) const {
    for (int64_t row = 0; row < rowCount; ++row)
      for (int64_t column = 0; column < count; ++column)
        target[row * count + column] = at(row, column);
  }

  /// LAPACK says how much room it wants when it is called with a size of -1.
  template <typename Call> void withWork(Call call) {
    Element wanted = 1;
    call(&wanted, -1);
    // Floats cannot say every size exactly.
    constexpr Element infinity = std::numeric_limits<Element>::infinity();
    wanted = std::ceil(std::nextafter(wanted, infinity));
    auto size = static_cast<int64_t>(wanted);
    room.resize(static_cast<size_t>(size));
    call(room.data(), lapackSize(size));
  }

  const Functions<Element> &lapack = functions<Element>();
  int64_t rowCount, columnCount, least;
  int rows, columns, smaller, info = 0;
  std::vector<Element> matrix, scales, room;
};

template <typename Element>
void factorizeAll(const smith_matrix_factors &factors, const Element *a,
                  std::array<void *, 3> results, const ThreadTeam &team) {
  // Failures are this thread's.
  (void)Factorizer<Element>(factors);
  int64_t m = factors.rows, n = factors.columns, least = std::min(m, n);
  auto result = [&](size_t number, int64_t matrix, int64_t elements) {
    return static_cast<Element *>(results[number]) + matrix * elements;
  };
  auto integers = [&](size_t number, int64_t matrix, int64_t elements) {
    return static_cast<int32_t *>(results[number]) + matrix * elements;
  };
  team.parallelFor(factors.count, 1, [&](int64_t begin, int64_t end) {
    Factorizer<Element> one(factors);
    for (int64_t i = begin; i < end; ++i) {
      one.load(a + i * m * n);
      switch (factors.kind) {
      case SMITH_QR:
        one.writeQr(result(0, i, m * least), result(1, i, least * n));
        break;
      case SMITH_EIGH:
        one.writeEigen(result(0, i, n), result(1, i, n * n));
        break;
      case SMITH_LU:
        one.writeLu(result(0, i, m * n), integers(1, i, least),
                    integers(2, i, m));
        break;
      }
    }
  });
}

} // namespace

void findFactors(const smith_matrix_factors &factors, const void *a,
                 std::array<void *, 3> results, const ThreadTeam &team) {
  if (factors.dtype == SMITH_F64)
    factorizeAll(factors, static_cast<const double *>(a), results, team);
  else
    factorizeAll(factors, static_cast<const float *>(a), results, team);
}

} // namespace shardsmith::runtime
