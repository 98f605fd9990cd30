// SPDX-License-Identifier: Apache-2.0
//
// A length of at most 64, or a prime one, is one product with the matrix
//
//     W[j, k] = exp(-2πi jk / n).
//
// A longer one n = n1 n2 is taken in two steps (Cooley and Tukey, 1965). With
// positions j = j1 n2 + j2 and frequencies k = k1 + n1 k2:
//
//     X[k1 + n1 k2] = Σ_j2 ( W_n[j2, k1] Σ_j1 x[j1 n2 + j2] W_n1[j1, k1] )
//                          · W_n2[j2, k2]
//
//     x[n] ─▶ [n1, n2] ─ W_n1 ─▶ [k1, j2] ─ · W_n[j2, k1] ─ W_n2 ─▶ [k1, k2]
//          ─ transpose ─▶ [k2, k1] ─▶ X[n]

#include "FourierTransform.h"

#include "llvm/ADT/Sequence.h"

#include <numbers>

using namespace mlir;

namespace shardsmith::complexes {
namespace {

constexpr int64_t longestProduct = 64;

enum class Way { Forward, Back };

/// exp(∓2πi jk / n) for j below `rows` and k below `columns`. jk is reduced
/// modulo n as an integer, so that the angle is exact to a rounding.
ComplexValue roots(ImplicitLocOpBuilder &builder, Type element, int64_t n,
                   int64_t rows, int64_t columns, Way way) {
  auto integers =
      RankedTensorType::get({rows, columns}, builder.getIntegerType(64));
  TensorValue j = iota(builder, integers, 0);
  TensorValue k = iota(builder, integers, 1);
  TensorValue jk = j * k;
  TensorValue turns{builder, stablehlo::RemOp::create(
                                 builder, jk.value(),
                                 jk.filled(static_cast<double>(n)).value())};
  // From -n/2 to n/2.
  TensorValue isFar = compare(turns * 2, stablehlo::ComparisonDirection::GT, n);
  TensorValue back = turns - static_cast<double>(n);
  TensorValue nearest = select(isFar, back, turns);
  TensorValue angle = convert(nearest, element) *
                      (2 * std::numbers::pi / static_cast<double>(n));
  TensorValue real = cosine(angle);
  TensorValue imaginary = sine(angle);
  return {real, way == Way::Forward ? -imaginary : imaginary};
}

/// The largest divisor of n up to its square root.
int64_t smallerFactor(int64_t n) {
  int64_t largest = 1;
  for (int64_t divisor = 2; divisor * divisor <= n; ++divisor)
    if (n % divisor == 0)
      largest = divisor;
  return largest;
}

/// x with dimension `dim` multiplied by a matrix, in place.
TensorValue multiplyAlong(TensorValue x, int64_t dim, TensorValue matrix) {
  MLIRContext *context = x.builder().getContext();
  auto numbers =
      stablehlo::DotDimensionNumbersAttr::get(context, {}, {}, {dim}, {0});
  // Angles have all bits of their type, and so have products with them.
  auto highest =
      stablehlo::PrecisionAttr::get(context, stablehlo::Precision::HIGHEST);
  TensorValue product{x.builder(),
                      stablehlo::DotGeneralOp::create(
                          x.builder(), x.value(), matrix.value(), numbers,
                          ArrayAttr::get(context, {highest, highest}),
                          x.elementType())};
  // The new dimension came out last.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank() - 1));
  order.insert(order.begin() + dim, x.rank() - 1);
  return transpose(product, order);
}

ComplexValue mapParts(const ComplexValue &operand,
                      llvm::function_ref<TensorValue(TensorValue)> map) {
  ComplexValue result{map(operand.real), std::nullopt};
  if (operand.imaginary)
    result.imaginary = map(*operand.imaginary);
  return result;
}

/// The first `count` frequencies along `dim`, without the factor 1/n of the
/// way back.
ComplexValue transformAlong(const ComplexValue &x, int64_t dim, int64_t count,
                            Way way);

ComplexValue transformInSteps(const ComplexValue &x, int64_t dim, int64_t n1,
                              Way way) {
  SmallVector<int64_t> shape(x.real.shape());
  int64_t n = shape[dim], n2 = n / n1;
  SmallVector<int64_t> split(shape);
  split[dim] = n1;
  split.insert(split.begin() + dim + 1, n2);
  ComplexValue y =
      mapParts(x, [&](TensorValue part) { return reshape(part, split); });
  y = transformAlong(y, dim, n1, way);
  ComplexValue twiddles =
      roots(x.builder(), x.real.elementType(), n, n1, n2, way);
  twiddles = mapParts(twiddles, [&](TensorValue part) {
    return broadcastInDim(part, split, {dim, dim + 1});
  });
  y = transformAlong(y * twiddles, dim + 1, n2, way);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(order[dim], order[dim + 1]);
  return mapParts(y, [&](TensorValue part) {
    return reshape(transpose(part, order), shape);
  });
}

TensorValue sliceAlong(TensorValue x, int64_t dim, int64_t begin, int64_t end) {
  SmallVector<int64_t> starts(x.rank(), 0), limits(x.shape()),
      strides(x.rank(), 1);
  starts[dim] = begin;
  limits[dim] = end;
  return {x.builder(), stablehlo::SliceOp::create(x.builder(), x.value(),
                                                  starts, limits, strides)};
}

ComplexValue transformAlong(const ComplexValue &x, int64_t dim, int64_t count,
                            Way way) {
  int64_t n = x.real.shape()[dim];
  int64_t factor = smallerFactor(n);
  if (n > longestProduct && factor > 1) {
    ComplexValue all = transformInSteps(x, dim, factor, way);
    return mapParts(all, [&](TensorValue part) {
      return count == n ? part : sliceAlong(part, dim, 0, count);
    });
  }
  ComplexValue matrix =
      roots(x.builder(), x.real.elementType(), n, n, count, way);
  return multiply(x, matrix, [&](TensorValue part, TensorValue factors) {
    return multiplyAlong(part, dim, factors);
  });
}

/// All n frequencies of a real signal from the first n/2 + 1: the others are
/// conjugates of these, backwards.
ComplexValue mirrored(const ComplexValue &half, int64_t dim, int64_t n) {
  int64_t given = half.real.shape()[dim];
  auto mirror = [&](TensorValue part, bool negate) -> TensorValue {
    if (n == given)
      return part;
    TensorValue tail = sliceAlong(part, dim, 1, n - given + 1);
    ImplicitLocOpBuilder &builder = part.builder();
    tail = {builder,
            stablehlo::ReverseOp::create(builder, tail.value(), {dim})};
    if (negate)
      tail = -tail;
    return {builder, stablehlo::ConcatenateOp::create(
                         builder, ValueRange{part.value(), tail.value()},
                         static_cast<uint64_t>(dim))};
  };
  ComplexValue whole{mirror(half.real, false), std::nullopt};
  if (half.imaginary)
    whole.imaginary = mirror(*half.imaginary, true);
  return whole;
}

} // namespace

ComplexValue fourierTransform(stablehlo::FftOp op,
                              const ComplexValue &operand) {
  using stablehlo::FftType;
  ArrayRef<int64_t> lengths = op.getFftLength();
  FftType type = op.getFftType();
  Way way =
      type == FftType::FFT || type == FftType::RFFT ? Way::Forward : Way::Back;
  int64_t last = operand.real.rank() - 1;
  int64_t first = last + 1 - static_cast<int64_t>(lengths.size());
  double points = 1;
  for (int64_t length : lengths)
    points *= static_cast<double>(length);

  ComplexValue x = operand;
  if (type == FftType::RFFT)
    x = transformAlong(x, last, lengths.back() / 2 + 1, way);
  bool isLastApart = type == FftType::RFFT || type == FftType::IRFFT;
  for (int64_t dim = first; dim <= last - (isLastApart ? 1 : 0); ++dim)
    x = transformAlong(x, dim, x.real.shape()[dim], way);
  if (type == FftType::IRFFT) {
    x = mirrored(x, last, lengths.back());
    x = transformAlong(x, last, lengths.back(), way);
    x.imaginary.reset();
  }
  return way == Way::Forward ? x : scaled(x, 1 / points);
}

} // namespace shardsmith::complexes
