// SPDX-License-Identifier: Apache-2.0
//
// Groups of ranks that communicate, from mesh axes.

#ifndef SHARDSMITH_LOWER_COMMON_RANKGROUPS_H
#define SHARDSMITH_LOWER_COMMON_RANKGROUPS_H

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace shardsmith::lower {

/// The ranks that differ only in their coordinates along `axes`, in the order
/// of their position in the group (axes major to minor).
struct RankGroups {
  std::vector<std::string> axes;
  std::vector<std::vector<int64_t>> ranks;
};

/// A mesh with ranks in row-major order. Without a mesh there is one rank.
class RankMesh {
public:
  explicit RankMesh(sdy::MeshAttr mesh);

  struct Axis {
    std::string name;
    int64_t size;
    int64_t stride; ///< difference of rank between neighbours
  };
  const std::vector<Axis> &allAxes() const { return axes; }
  const Axis &axis(llvm::StringRef name) const;
  int64_t rankCount() const { return ranks; }

  RankGroups groups(llvm::ArrayRef<std::string> axes) const;

private:
  std::vector<Axis> axes;
  int64_t ranks = 1;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_RANKGROUPS_H
