// SPDX-License-Identifier: Apache-2.0
//
// LAPACK has matrices in columns: what is a row here is a column there. So it
// sees the transpose of every matrix, a lower triangle as an upper one, and
// for op(a) x = b the system on the other side:
//
//     op(a) x = b     is     xᵀ op(aᵀ) = bᵀ
//
// where aᵀ, bᵀ and xᵀ are what lies in memory in columns.

#include "shardsmith/Runtime/LinearAlgebra.h"

#include "Lapack.h"

#include <algorithm>
#include <limits>

namespace shardsmith::runtime {
namespace {

/// Functions of the Fortran interface, for one element type: all arguments by
/// address, lengths of texts behind them.
template <typename Element> struct Functions {
  void (*factorize)(const char *triangle, const int *size, Element *matrix,
                    const int *stride, int *info, size_t);
  void (*solve)(const char *side, const char *triangle, const char *transpose,
                const char *diagonal, const int *rows, const int *columns,
                const Element *factor, const Element *matrix, const int *stride,
                Element *right, const int *rightStride, size_t, size_t, size_t,
                size_t);
};

template <typename Element> const Functions<Element> &functions() {
  constexpr bool isDouble = sizeof(Element) == 8;
  static const Functions<Element> found = [] {
    Functions<Element> functions;
    functions.factorize = reinterpret_cast<decltype(functions.factorize)>(
        findLapackFunction(isDouble ? "dpotrf_" : "spotrf_"));
    functions.solve = reinterpret_cast<decltype(functions.solve)>(
        findLapackFunction(isDouble ? "dtrsm_" : "strsm_"));
    return functions;
  }();
  return found;
}

template <typename Element>
void factorizeOne(const smith_cholesky &cholesky, int size, Element *matrix) {
  int info = 0;
  const char triangle = cholesky.lower ? 'U' : 'L';
  functions<Element>().factorize(&triangle, &size, matrix, &size, &info, 1);
  const int64_t n = cholesky.size;
  if (info != 0) {
    std::fill_n(matrix, n * n, std::numeric_limits<Element>::quiet_NaN());
    return;
  }
  for (int64_t row = 0; row < n; ++row) {
    if (cholesky.lower)
      std::fill(matrix + row * n + row + 1, matrix + (row + 1) * n, Element(0));
    else
      std::fill(matrix + row * n, matrix + row * n + row, Element(0));
  }
}

template <typename Element>
void factorizeAll(const smith_cholesky &cholesky, const void *a, void *factor,
                  const ThreadTeam &team) {
  // Failures are this thread's.
  (void)functions<Element>();
  const int size = lapackSize(cholesky.size);
  const int64_t elements = cholesky.size * cholesky.size;
  team.parallelFor(cholesky.count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Element *matrix = static_cast<Element *>(factor) + i * elements;
      std::copy_n(static_cast<const Element *>(a) + i * elements, elements,
                  matrix);
      factorizeOne(cholesky, size, matrix);
    }
  });
}

template <typename Element>
void solveAll(const smith_triangular_solve &solve, const void *a, const void *b,
              void *x, const ThreadTeam &team) {
  const Functions<Element> &lapack = functions<Element>();
  const int64_t elements = solve.rows * solve.columns;
  const int64_t size = solve.left_side ? solve.rows : solve.columns;
  const int order = lapackSize(size);
  const int rows = lapackSize(solve.columns), columns = lapackSize(solve.rows);
  const char side = solve.left_side ? 'R' : 'L';
  const char triangle = solve.lower ? 'U' : 'L';
  const char transpose = solve.transposed ? 'T' : 'N';
  const char diagonal = solve.unit_diagonal ? 'U' : 'N';
  const Element one = 1;
  team.parallelFor(solve.count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Element *right = static_cast<Element *>(x) + i * elements;
      std::copy_n(static_cast<const Element *>(b) + i * elements, elements,
                  right);
      lapack.solve(&side, &triangle, &transpose, &diagonal, &rows, &columns,
                   &one, static_cast<const Element *>(a) + i * size * size,
                   &order, right, &rows, 1, 1, 1, 1);
    }
  });
}

} // namespace

void factorize(const smith_cholesky &cholesky, const void *a, void *factor,
               const ThreadTeam &team) {
  if (cholesky.dtype == SMITH_F64)
    factorizeAll<double>(cholesky, a, factor, team);
  else
    factorizeAll<float>(cholesky, a, factor, team);
}

void solveTriangles(const smith_triangular_solve &solve, const void *a,
                    const void *b, void *x, const ThreadTeam &team) {
  if (solve.dtype == SMITH_F64)
    solveAll<double>(solve, a, b, x, team);
  else
    solveAll<float>(solve, a, b, x, team);
}

} // namespace shardsmith::runtime
