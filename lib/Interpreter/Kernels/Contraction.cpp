// SPDX-License-Identifier: Apache-2.0
//
// Both operands are brought to the form
//
//   lhs [batch, M, K]   rhs [batch, K, N]   result [batch, M, N]
//
// and multiplied batch by batch. The product walks the right-hand side in
// panels, widened to the type sums are made in and packed in strips of a few
// columns. A panel stays in cache while all rows of the left-hand side use it;
// a tile of rows by one strip stays in registers.

#include "Contraction.h"

#include "Elementwise.h"
#include "Movement.h"

#include "shardsmith/Interpreter/TensorMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

constexpr int64_t panelRows = 128;
constexpr int64_t panelColumns = 256;
constexpr int64_t stripColumns = 16;
constexpr int64_t tileRows = 4;

#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
/// The inner loop compiled for several instruction sets, chosen at start-up.
#define SHARDSMITH_MULTIVERSION                                                \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef SHARDSMITH_MULTIVERSION
#define SHARDSMITH_MULTIVERSION
#endif

/// sums[r][c] += sum over k of lhs[r][k] * strip[k][c] for one tile. `lhs` has
/// rows of `panelRows` elements, `sums` of `sumsColumns`.
SHARDSMITH_MULTIVERSION void multiplyTile(const double *lhs,
                                          const double *strip, int64_t depth,
                                          double *sums, int64_t sumsColumns) {
  double tile[tileRows][stripColumns] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t row = 0; row < tileRows; ++row)
      for (int64_t column = 0; column < stripColumns; ++column)
        tile[row][column] +=
            lhs[row * panelRows + k] * strip[k * stripColumns + column];
  for (int64_t row = 0; row < tileRows; ++row)
    for (int64_t column = 0; column < stripColumns; ++column)
      sums[row * sumsColumns + column] += tile[row][column];
}

/// Dimensions of a tensor of `rank` that are in neither list.
Shape remainingDims(int64_t rank, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  Shape result;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!is_contained(a, dim) && !is_contained(b, dim))
      result.push_back(dim);
  return result;
}

int64_t productOfDims(const Tensor &tensor, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= tensor.dim(dim);
  return product;
}

Tensor arranged(const Tensor &tensor, ArrayRef<int64_t> first,
                ArrayRef<int64_t> second, ArrayRef<int64_t> third) {
  Shape permutation(first);
  append_range(permutation, second);
  append_range(permutation, third);
  return transpose(tensor, permutation).dense();
}

struct ProductSize {
  int64_t rows, depth, columns;
};

/// Packs a block of the right-hand side: strip by strip, row by row. Missing
/// columns of the last strip are zero.
template <typename T>
void packPanel(const T *rhs, int64_t rhsColumns, int64_t depth, int64_t columns,
               double *panel) {
  for (int64_t strip = 0; strip < columns; strip += stripColumns)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t column = strip; column < strip + stripColumns; ++column)
        *panel++ = column < columns
                       ? static_cast<double>(rhs[k * rhsColumns + column])
                       : 0.0;
}

/// result = lhs * rhs in floating point. Its memory is that of the largest
/// block and serves all batches: those of attention are many and small.
class FloatProduct {
public:
  explicit FloatProduct(ProductSize size)
      : size(size),
        blockColumns(std::min(panelColumns, static_cast<int64_t>(alignTo(
                                                size.columns, stripColumns)))),
        panel(std::min(panelRows, size.depth) * blockColumns),
        tileOfLhs(tileRows * panelRows) {}

  template <typename T, typename Out>
  void operator()(const T *lhs, const T *rhs, Out *result) {
    for (int64_t firstColumn = 0; firstColumn < size.columns;
         firstColumn += panelColumns) {
      const int64_t columns =
          std::min(panelColumns, size.columns - firstColumn);
      // Room for a whole last tile, so that it needs no special case.
      sums.assign(alignTo(size.rows, tileRows) * blockColumns, 0.0);
      for (int64_t firstDepth = 0; firstDepth < size.depth;
           firstDepth += panelRows)
        addPanel(lhs + firstDepth,
                 rhs + firstDepth * size.columns + firstColumn,
                 std::min(panelRows, size.depth - firstDepth), columns);
      for (int64_t row = 0; row < size.rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          result[row * size.columns + firstColumn + column] =
              static_cast<Out>(sums[row * blockColumns + column]);
    }
  }

private:
  /// Adds the product of `depth` columns of `lhs` and as many rows of `rhs`.
  template <typename T>
  void addPanel(const T *lhs, const T *rhs, int64_t depth, int64_t columns) {
    packPanel(rhs, size.columns, depth, columns, panel.data());
    for (int64_t row = 0; row < size.rows; row += tileRows) {
      for (int64_t r = 0; r < tileRows; ++r) {
        const T *source = lhs + std::min(row + r, size.rows - 1) * size.depth;
        for (int64_t k = 0; k < depth; ++k)
          tileOfLhs[r * panelRows + k] = static_cast<double>(source[k]);
      }
      for (int64_t strip = 0; strip < columns; strip += stripColumns)
        multiplyTile(tileOfLhs.data(), panel.data() + strip * depth, depth,
                     sums.data() + row * blockColumns + strip, blockColumns);
    }
  }

  const ProductSize size;
  /// Of a panel and of the sums: whole strips.
  const int64_t blockColumns;
  TensorVector<double> panel, tileOfLhs, sums;
};

/// The same for integers: unsigned arithmetic wraps around as it should.
template <typename T>
void multiplyIntegers(const T *lhs, const T *rhs, T *result, ProductSize size) {
  TensorVector<uint64_t> sums(size.columns);
  for (int64_t row = 0; row < size.rows; ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t k = 0; k < size.depth; ++k) {
      const auto a = static_cast<uint64_t>(lhs[row * size.depth + k]);
      for (int64_t j = 0; j < size.columns; ++j)
        sums[j] += a * static_cast<uint64_t>(rhs[k * size.columns + j]);
    }
    for (int64_t j = 0; j < size.columns; ++j)
      result[row * size.columns + j] = static_cast<T>(sums[j]);
  }
}

} // namespace

Tensor contract(const Tensor &lhs, const Tensor &rhs,
                const ContractionDims &dims, ElementType resultType) {
  // Integers are multiplied in the result type, floats in their own.
  const bool inIntegers = !isFloat(resultType);
  const ElementType sumType = widened(resultType);
  auto prepare = [&](const Tensor &operand) {
    if (inIntegers)
      return convert(operand, sumType);
    if (isFloat(operand.type()))
      return convert(operand, widened(operand.type()));
    return convert(operand, ElementType::F64);
  };
  Tensor left = prepare(lhs), right = prepare(rhs);
  if (left.type() != right.type()) {
    left = convert(left, ElementType::F64);
    right = convert(right, ElementType::F64);
  }

  const Shape lhsFree =
      remainingDims(lhs.rank(), dims.lhsBatch, dims.lhsContracting);
  const Shape rhsFree =
      remainingDims(rhs.rank(), dims.rhsBatch, dims.rhsContracting);
  left = arranged(left, dims.lhsBatch, lhsFree, dims.lhsContracting);
  right = arranged(right, dims.rhsBatch, dims.rhsContracting, rhsFree);

  Shape resultShape;
  for (int64_t dim : dims.lhsBatch)
    resultShape.push_back(lhs.dim(dim));
  for (int64_t dim : lhsFree)
    resultShape.push_back(lhs.dim(dim));
  for (int64_t dim : rhsFree)
    resultShape.push_back(rhs.dim(dim));
  Tensor result = Tensor::uninitialized(sumType, resultShape);
  const ProductSize size{productOfDims(lhs, lhsFree),
                         productOfDims(lhs, dims.lhsContracting),
                         productOfDims(rhs, rhsFree)};
  const int64_t batches = productOfDims(lhs, dims.lhsBatch);
  if (result.size() == 0)
    return convert(result, resultType);

  auto eachBatch = [&](auto multiply, auto *leftData, auto *rightData,
                       auto *resultData) {
    for (int64_t batch = 0; batch < batches; ++batch)
      multiply(leftData + batch * size.rows * size.depth,
               rightData + batch * size.depth * size.columns,
               resultData + batch * size.rows * size.columns);
  };
  if (inIntegers)
    dispatchArithmetic(sumType, [&]<typename T>(Tag<T>) {
      if constexpr (std::is_integral_v<T>)
        eachBatch([&](const T *lhs, const T *rhs,
                      T *result) { multiplyIntegers(lhs, rhs, result, size); },
                  left.data<T>(), right.data<T>(), result.mutableData<T>());
    });
  else
    dispatchFloat(left.type(), [&]<typename T>(Tag<T>) {
      dispatchFloat(sumType, [&]<typename Out>(Tag<Out>) {
        eachBatch(FloatProduct(size), left.data<T>(), right.data<T>(),
                  result.mutableData<Out>());
      });
    });
  return convert(result, resultType);
}

} // namespace shardsmith::inline interpreter
