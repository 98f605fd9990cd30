// SPDX-License-Identifier: Apache-2.0

#include "StridedMatrices.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace shardsmith::runtime {
namespace {

template <typename To, typename From> To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (requires { value.toFloat(); })
    return convert<To>(value.toFloat());
  else if constexpr (requires { To::fromFloat(0.0f); })
    return To::fromFloat(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

/// Least work for one more thread.
constexpr int64_t threadElements = 32 << 10;

/// Calls body(offset of the row's first element, number of the row) for all
/// rows of all matrices.
template <typename Body>
void forEachRow(const StridedMatrices &matrices, const ThreadTeam &team,
                Body body) {
  int64_t grain = std::max<int64_t>(
      threadElements / std::max<int64_t>(matrices.columns, 1), 1);
  team.parallelFor(matrices.matrixCount() * matrices.rows, grain,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t number = begin; number < end; ++number)
                       body(matrices.matrixOffset(number / matrices.rows) +
                                number % matrices.rows * matrices.rowStride,
                            number);
                   });
}

template <typename From, typename To>
void pack(const StridedMatrices &from, const From *source, To *target,
          const ThreadTeam &team) {
  forEachRow(from, team, [&](int64_t offset, int64_t number) {
    To *row = target + number * from.columns;
    for (int64_t column = 0; column < from.columns; ++column)
      row[column] = convert<To>(source[offset + column * from.columnStride]);
  });
}

template <typename To, typename From>
void unpack(const StridedMatrices &to, To *target, const From *source,
            const ThreadTeam &team) {
  bool isBool = to.type == SMITH_BOOL;
  forEachRow(to, team, [&](int64_t offset, int64_t number) {
    const From *row = source + number * to.columns;
    for (int64_t column = 0; column < to.columns; ++column) {
      To value = convert<To>(row[column]);
      if constexpr (std::is_same_v<To, uint8_t>)
        if (isBool)
          value = convert<uint64_t>(row[column]) != 0;
      target[offset + column * to.columnStride] = value;
    }
  });
}

} // namespace

int64_t StridedMatrices::matrixCount() const {
  int64_t count = 1;
  for (int64_t size : batch)
    count *= size;
  return count;
}

int64_t StridedMatrices::matrixOffset(int64_t index) const {
  int64_t offset = 0;
  for (size_t dim = batch.size(); dim-- > 0;) {
    offset += index % batch[dim] * batchStride[dim];
    index /= batch[dim];
  }
  return offset;
}

StridedMatrices StridedMatrices::transposed() const {
  StridedMatrices result = *this;
  std::swap(result.rows, result.columns);
  std::swap(result.rowStride, result.columnStride);
  return result;
}

StridedMatrices StridedMatrices::contiguous(ElementType newType) const {
  StridedMatrices result = *this;
  result.type = newType;
  result.columnStride = 1;
  result.rowStride = columns;
  int64_t stride = rows * columns;
  for (size_t dim = batch.size(); dim-- > 0;) {
    result.batchStride[dim] = stride;
    stride *= batch[dim];
  }
  return result;
}

bool StridedMatrices::hasUnitStride() const {
  return (columnStride == 1 && rowStride >= columns) ||
         (rowStride == 1 && columnStride >= rows);
}

void StridedMatrices::normalizeStrides() {
  if (columns == 1)
    columnStride = 1;
  if (rows == 1)
    rowStride = columnStride == 1 ? columns : 1;
}

void packMatrices(const StridedMatrices &from, const void *source,
                  ElementType type, void *target, const ThreadTeam &team) {
  visitElementType(from.type, [&](auto tag) {
    using From = decltype(tag);
    auto *typed = static_cast<const From *>(source);
    if (type == from.type)
      pack(from, typed, static_cast<From *>(target), team);
    else if (type == SMITH_F32)
      pack(from, typed, static_cast<float *>(target), team);
    else if (type == SMITH_F64)
      pack(from, typed, static_cast<double *>(target), team);
    else
      pack(from, typed, static_cast<uint64_t *>(target), team);
  });
}

void unpackMatrices(const StridedMatrices &to, void *target, ElementType type,
                    const void *source, const ThreadTeam &team) {
  visitElementType(to.type, [&](auto tag) {
    using To = decltype(tag);
    auto *typed = static_cast<To *>(target);
    if (type == to.type)
      unpack(to, typed, static_cast<const To *>(source), team);
    else if (type == SMITH_F32)
      unpack(to, typed, static_cast<const float *>(source), team);
    else if (type == SMITH_F64)
      unpack(to, typed, static_cast<const double *>(source), team);
    else
      unpack(to, typed, static_cast<const uint64_t *>(source), team);
  });
}

} // namespace shardsmith::runtime
