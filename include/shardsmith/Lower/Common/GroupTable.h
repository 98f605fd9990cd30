// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_GROUPTABLE_H
#define SHARDSMITH_LOWER_COMMON_GROUPTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Lower/Common/RankGroups.h"

namespace shardsmith::lower {

/// The groups a program's collectives use, in the order of first use. The
/// index is the `group` argument of the runtime's collectives.
class GroupTable {
public:
  explicit GroupTable(mlir::func::FuncOp function);

  const std::vector<RankGroups> &all() const { return groups; }
  int64_t indexOf(mlir::ArrayAttr axes) const;
  /// Who takes part in a permute: the ranks that differ along its axes; if it
  /// names none, those with the same stages; −1 for all ranks.
  int64_t permuteGroup(std::optional<mlir::ArrayAttr> axes) const;
  const RankMesh &mesh() const { return rankMesh; }

private:
  RankMesh rankMesh;
  std::vector<RankGroups> groups;
};

/// The names in an array of strings.
std::vector<std::string> axisNames(mlir::ArrayAttr axes);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_GROUPTABLE_H
