// SPDX-License-Identifier: Apache-2.0
//
// Which axes should split the parts of a value, from what the graph's own ops
// and tensors say about the tensor axis.

#ifndef SHARDSMITH_LIB_CHECK_ANNOTATED_EXPECTEDAXES_H
#define SHARDSMITH_LIB_CHECK_ANNOTATED_EXPECTEDAXES_H

#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Sharding/Layout.h"
#include "shardsmith/Workload/GraphMap.h"

namespace shardsmith::check {

/// Axes by part. Neighbours of one run (not -1) are one stretch, and the first
/// of them has the axes.
struct PartAxes {
  std::vector<AxisList> axes;
  std::vector<int> runs;
};

class ExpectedAxes {
public:
  /// The mesh must outlive this.
  explicit ExpectedAxes(const Mesh &mesh);

  const Mesh &mesh() const { return axes; }
  bool isTensor(MeshAxis axis) const { return axis == tensor; }
  bool splitsPositions(MeshAxis axis) const;
  bool hasContext() const;

  PartAxes ofTensor(const workload::Tensor &tensor,
                    const std::vector<unsigned> &dims,
                    llvm::ArrayRef<workload::ValuePart> parts,
                    std::optional<TensorLayout> kept) const;
  PartAxes inOp(const workload::Op &op, const workload::PartFactors &factors,
                llvm::ArrayRef<workload::ValuePart> parts, OpSplit split,
                ContextMethod method) const;

private:
  /// Gives each run what `wanted(part)` names and no other part has.
  PartAxes share(llvm::ArrayRef<workload::ValuePart> parts,
                 std::vector<int> runs,
                 llvm::function_ref<AxisList(size_t)> wanted) const;
  AxisList named(std::initializer_list<llvm::StringRef> names) const;
  AxisList ofRole(workload::FactorRole role) const;

  const Mesh &axes;
  std::optional<MeshAxis> tensor;
};

/// A value as far as slices of dimensions say it: axes that split a dimension
/// inside, or in unequal parts, are left out, and so is what follows them.
Layout slicesOf(const Mesh &mesh, unsigned rank,
                llvm::ArrayRef<workload::ValuePart> parts,
                const PartAxes &axes);

/// The other way round: which parts the axes of each dimension split.
std::vector<AxisList> partsOf(const Mesh &mesh,
                              llvm::ArrayRef<workload::ValuePart> parts,
                              const Layout &layout);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ANNOTATED_EXPECTEDAXES_H
