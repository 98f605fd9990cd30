// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/GroupTable.h"

#include "shardsmith/Dialect/Smith/Smith.h"

using namespace mlir;

namespace shardsmith::lower {

std::vector<std::string> axisNames(ArrayAttr axes) {
  std::vector<std::string> names;
  for (auto axis : axes.getAsRange<StringAttr>())
    names.push_back(axis.str());
  return names;
}

GroupTable::GroupTable(func::FuncOp function)
    : rankMesh(smith::getMesh(function)) {
  // What main calls is in the same module.
  Operation *all = function->getParentOfType<ModuleOp>();
  (all ? all : function)->walk([&](Operation *op) {
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    if (!axes || isa<smith::ShardIndexOp>(op) ||
        !isa<smith::SmithDialect>(op->getDialect()))
      return;
    std::vector<std::string> names = axisNames(axes);
    if (llvm::none_of(groups, [&](const RankGroups &group) {
          return group.axes == names;
        }))
      groups.push_back(rankMesh.groups(names));
  });
}

int64_t GroupTable::indexOf(ArrayAttr axes) const {
  std::vector<std::string> names = axisNames(axes);
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].axes == names)
      return i;
  llvm_unreachable("every collective's axes were collected");
}

} // namespace shardsmith::lower
