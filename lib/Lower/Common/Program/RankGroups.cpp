// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/RankGroups.h"

namespace shardsmith::lower {

RankMesh::RankMesh(sdy::MeshAttr mesh) {
  if (!mesh)
    return;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back({axis.getName().str(), axis.getSize(), 1});
  for (Axis &axis : llvm::reverse(axes)) {
    axis.stride = ranks;
    ranks *= axis.size;
  }
}

const RankMesh::Axis &RankMesh::axis(llvm::StringRef name) const {
  auto found =
      llvm::find_if(axes, [&](const Axis &axis) { return axis.name == name; });
  assert(found != axes.end() && "verified by the collective");
  return *found;
}

RankGroups RankMesh::groups(llvm::ArrayRef<std::string> names) const {
  RankGroups result;
  result.axes.assign(names.begin(), names.end());
  // Offsets of the members from the first one.
  std::vector<int64_t> members{0};
  for (const std::string &name : names) {
    const Axis &along = axis(name);
    std::vector<int64_t> next;
    for (int64_t member : members)
      for (int64_t i = 0; i < along.size; ++i)
        next.push_back(member + i * along.stride);
    members = std::move(next);
  }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    bool isFirst = llvm::all_of(names, [&](const std::string &name) {
      return rank / axis(name).stride % axis(name).size == 0;
    });
    if (!isFirst)
      continue;
    std::vector<int64_t> group;
    for (int64_t member : members)
      group.push_back(rank + member);
    result.ranks.push_back(std::move(group));
  }
  return result;
}

} // namespace shardsmith::lower
