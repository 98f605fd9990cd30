// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Plan.h"

using namespace llvm;

namespace shardsmith {

Mesh meshOf(const StepPlan &plan) {
  SmallVector<Mesh::Axis> axes;
  for (const FixedAxis &axis : plan.mesh)
    axes.push_back({axis.name, axis.size});
  return Mesh(axes);
}

} // namespace shardsmith
