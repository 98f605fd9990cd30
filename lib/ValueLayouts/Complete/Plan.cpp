// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Plan.h"

using namespace llvm;

namespace shardsmith {

Mesh Plan::getMesh() const {
  SmallVector<Mesh::Axis> axes;
  for (const FixedAxis &axis : mesh)
    axes.push_back({axis.name, axis.size});
  return Mesh(axes);
}

} // namespace shardsmith
