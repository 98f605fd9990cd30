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

/// All axes but that of stages; nothing if there are none.
static std::vector<std::string> axesOfPermutes(const RankMesh &mesh) {
  std::vector<std::string> names;
  for (const RankMesh::Axis &axis : mesh.allAxes())
    if (axis.name != smith::kPipelineAxisName)
      names.push_back(axis.name);
  if (names.size() == mesh.allAxes().size())
    names.clear();
  return names;
}

GroupTable::GroupTable(func::FuncOp function)
    : rankMesh(smith::getMesh(function)) {
  auto add = [&](const std::vector<std::string> &names) {
    if (llvm::none_of(groups, [&](const RankGroups &group) {
          return group.axes == names;
        }))
      groups.push_back(rankMesh.groups(names));
  };
  // What main calls is in the same module.
  Operation *all = function->getParentOfType<ModuleOp>();
  (all ? all : function)->walk([&](Operation *op) {
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    if (!axes || isa<smith::ShardIndexOp>(op) ||
        !isa<smith::SmithDialect>(op->getDialect()))
      return;
    add(axisNames(axes));
  });
  std::vector<std::string> ofPermutes = axesOfPermutes(rankMesh);
  if (ofPermutes.empty())
    return;
  (all ? all : function)->walk([&](smith::CollectivePermuteOp permute) {
    if (!permute.getAxes())
      add(ofPermutes);
  });
}

int64_t GroupTable::permuteGroup(std::optional<ArrayAttr> axes) const {
  if (axes)
    return indexOf(*axes);
  std::vector<std::string> names = axesOfPermutes(rankMesh);
  if (names.empty())
    return -1;
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].axes == names)
      return i;
  return -1;
}

int64_t GroupTable::indexOf(ArrayAttr axes) const {
  std::vector<std::string> names = axisNames(axes);
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].axes == names)
      return i;
  llvm_unreachable("every collective's axes were collected");
}

} // namespace shardsmith::lower
