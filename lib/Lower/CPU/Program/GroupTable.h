// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_GROUPTABLE_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_GROUPTABLE_H

#include "Groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith::cpu {

/// The groups a program's collectives use, in the order of first use. The
/// index is the `group` argument of the runtime's collectives.
class GroupTable {
public:
  explicit GroupTable(mlir::func::FuncOp function);

  const std::vector<RankGroups> &all() const { return groups; }
  int64_t indexOf(mlir::ArrayAttr axes) const;
  const RankMesh &mesh() const { return rankMesh; }

private:
  RankMesh rankMesh;
  std::vector<RankGroups> groups;
};

/// The names in an array of strings.
std::vector<std::string> axisNames(mlir::ArrayAttr axes);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_GROUPTABLE_H
