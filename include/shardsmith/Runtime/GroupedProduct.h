// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with the matrix that each row names, for generated code.
// How many rows a matrix gets is known at run time only.

#ifndef SHARDSMITH_RUNTIME_GROUPEDPRODUCT_H
#define SHARDSMITH_RUNTIME_GROUPEDPRODUCT_H

#include "shardsmith/Runtime/Gemm.h"

#include <map>
#include <vector>

namespace shardsmith::runtime {

/// Collects the rows of a group in contiguous memory, multiplies them at once,
/// and puts the results back where the rows came from. Rows are filled up with
/// zeros to a multiple of `rowGrain`, so that few different products are
/// prepared.
class GroupedProductLibrary {
public:
  static constexpr int64_t rowGrain = 16;

  explicit GroupedProductLibrary(const ThreadTeam &team);

  /// As smith_grouped_dot_run of ABI.h.
  void dot(const smith_grouped_product &product, const void *rows,
           const int32_t *groups, const void *matrices, void *result);
  /// As smith_grouped_outer_run of ABI.h.
  void outer(const smith_grouped_product &product, const void *lhs,
             const int32_t *groups, const void *rhs, void *result);

private:
  /// The rows of one batch in the order of their groups: those of group g are
  /// order[begin[g]] … order[begin[g + 1] - 1].
  struct RowOrder {
    std::vector<int64_t> begin, order;
  };
  RowOrder orderOf(const smith_grouped_product &product,
                   const int32_t *groups) const;
  /// The number under which `gemms` keeps a product of so many rows.
  int32_t idFor(int32_t product, int64_t rows);
  /// Copies of the rows, followed by zeros up to `padded` rows.
  const void *collect(std::vector<uint8_t> &scratch, const uint8_t *rows,
                      const int64_t *numbers, int64_t count, int64_t padded,
                      int64_t rowBytes) const;

  const ThreadTeam &team;
  GemmLibrary gemms;
  std::map<std::pair<int32_t, int64_t>, int32_t> ids;
  std::vector<uint8_t> scratchLeft, scratchRight;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_GROUPEDPRODUCT_H
