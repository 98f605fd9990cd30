// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/GroupedProduct.h"

#include "shardsmith/Runtime/ElementType.h"

#include <cstring>

namespace shardsmith::runtime {
namespace {

int64_t paddedRows(int64_t rows) {
  constexpr int64_t grain = GroupedProductLibrary::rowGrain;
  return (rows + grain - 1) / grain * grain;
}

int64_t rowsPerThread(int64_t rowBytes) {
  return std::max<int64_t>(
      ThreadTeam::leastBytes / std::max<int64_t>(rowBytes, 1), 1);
}

} // namespace

GroupedProductLibrary::GroupedProductLibrary(const ThreadTeam &team)
    : team(team), gemms(team) {}

GroupedProductLibrary::RowOrder
GroupedProductLibrary::orderOf(const smith_grouped_product &product,
                               const int32_t *groups) const {
  auto hasGroup = [&](int32_t group) {
    return group >= 0 && group < product.groups;
  };
  RowOrder result;
  result.begin.assign(size_t(product.groups) + 1, 0);
  for (int64_t row = 0; row < product.rows; ++row)
    if (hasGroup(groups[row]))
      ++result.begin[size_t(groups[row]) + 1];
  for (int64_t group = 0; group < product.groups; ++group)
    result.begin[size_t(group) + 1] += result.begin[size_t(group)];
  result.order.resize(size_t(result.begin.back()));
  std::vector<int64_t> next = result.begin;
  for (int64_t row = 0; row < product.rows; ++row)
    if (hasGroup(groups[row]))
      result.order[size_t(next[size_t(groups[row])]++)] = row;
  return result;
}

int32_t GroupedProductLibrary::idFor(int32_t product, int64_t rows) {
  return ids.try_emplace({product, rows}, int32_t(ids.size())).first->second;
}

const void *GroupedProductLibrary::collect(std::vector<uint8_t> &scratch,
                                           const uint8_t *rows,
                                           const int64_t *numbers,
                                           int64_t count, int64_t padded,
                                           int64_t rowBytes) const {
  if (scratch.size() < size_t(padded * rowBytes))
    scratch.resize(size_t(padded * rowBytes));
  uint8_t *to = scratch.data();
  team.parallelFor(
      count, rowsPerThread(rowBytes), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
          std::memcpy(to + row * rowBytes, rows + numbers[row] * rowBytes,
                      size_t(rowBytes));
      });
  std::memset(to + count * rowBytes, 0, size_t((padded - count) * rowBytes));
  return to;
}

void GroupedProductLibrary::dot(const smith_grouped_product &product,
                                const void *rows, const int32_t *groups,
                                const void *matrices, void *result) {
  int64_t leftBytes = product.k * byteSize(product.left_dtype);
  int64_t rightBytes = product.n * byteSize(product.right_dtype);
  int64_t matrixBytes = product.k * product.n * byteSize(product.matrix_dtype);
  // Rows without a group keep the zeros.
  std::memset(result, 0, size_t(product.batch * product.rows * rightBytes));
  for (int64_t batch = 0; batch < product.batch; ++batch) {
    const auto *from =
        static_cast<const uint8_t *>(rows) + batch * product.rows * leftBytes;
    auto *to =
        static_cast<uint8_t *>(result) + batch * product.rows * rightBytes;
    const auto *all = static_cast<const uint8_t *>(matrices) +
                      batch * product.groups * matrixBytes;
    RowOrder rowOrder = orderOf(product, groups + batch * product.rows);
    for (int64_t group = 0; group < product.groups; ++group) {
      const int64_t *numbers =
          rowOrder.order.data() + rowOrder.begin[size_t(group)];
      int64_t count =
          rowOrder.begin[size_t(group) + 1] - rowOrder.begin[size_t(group)];
      if (count == 0)
        continue;
      int64_t padded = paddedRows(count);
      smith_gemm gemm = {};
      gemm.id = idFor(product.id, padded);
      gemm.a_dtype = product.left_dtype;
      gemm.b_dtype = product.matrix_dtype;
      gemm.c_dtype = product.right_dtype;
      gemm.m = padded;
      gemm.n = product.n;
      gemm.k = product.k;
      gemm.a_m_stride = product.k;
      gemm.a_k_stride = 1;
      gemm.b_k_stride = product.transposed ? 1 : product.n;
      gemm.b_n_stride = product.transposed ? product.k : 1;
      gemm.c_m_stride = product.n;
      gemm.c_n_stride = 1;
      if (scratchRight.size() < size_t(padded * rightBytes))
        scratchRight.resize(size_t(padded * rightBytes));
      gemms.run(gemm,
                collect(scratchLeft, from, numbers, count, padded, leftBytes),
                all + group * matrixBytes, scratchRight.data());
      team.parallelFor(count, rowsPerThread(rightBytes),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t row = begin; row < end; ++row)
                           std::memcpy(to + numbers[row] * rightBytes,
                                       scratchRight.data() + row * rightBytes,
                                       size_t(rightBytes));
                       });
    }
  }
}

void GroupedProductLibrary::outer(const smith_grouped_product &product,
                                  const void *lhs, const int32_t *groups,
                                  const void *rhs, void *result) {
  int64_t leftBytes = product.k * byteSize(product.left_dtype);
  int64_t rightBytes = product.n * byteSize(product.right_dtype);
  int64_t matrixBytes = product.k * product.n * byteSize(product.matrix_dtype);
  for (int64_t batch = 0; batch < product.batch; ++batch) {
    const auto *left =
        static_cast<const uint8_t *>(lhs) + batch * product.rows * leftBytes;
    const auto *right =
        static_cast<const uint8_t *>(rhs) + batch * product.rows * rightBytes;
    auto *all =
        static_cast<uint8_t *>(result) + batch * product.groups * matrixBytes;
    RowOrder rowOrder = orderOf(product, groups + batch * product.rows);
    for (int64_t group = 0; group < product.groups; ++group) {
      const int64_t *numbers =
          rowOrder.order.data() + rowOrder.begin[size_t(group)];
      int64_t count =
          rowOrder.begin[size_t(group) + 1] - rowOrder.begin[size_t(group)];
      uint8_t *matrix = all + group * matrixBytes;
      if (count == 0) {
        std::memset(matrix, 0, size_t(matrixBytes));
        continue;
      }
      int64_t padded = paddedRows(count);
      smith_gemm gemm = {};
      gemm.id = idFor(product.id, padded);
      gemm.a_dtype = product.left_dtype;
      gemm.b_dtype = product.right_dtype;
      gemm.c_dtype = product.matrix_dtype;
      gemm.m = product.k;
      gemm.n = product.n;
      gemm.k = padded;
      gemm.a_m_stride = 1;
      gemm.a_k_stride = product.k;
      gemm.b_k_stride = product.n;
      gemm.b_n_stride = 1;
      gemm.c_m_stride = product.n;
      gemm.c_n_stride = 1;
      gemms.run(
          gemm, collect(scratchLeft, left, numbers, count, padded, leftBytes),
          collect(scratchRight, right, numbers, count, padded, rightBytes),
          matrix);
    }
  }
}

} // namespace shardsmith::runtime
