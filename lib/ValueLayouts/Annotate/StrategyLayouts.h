// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYLAYOUTS_H
#define SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYLAYOUTS_H

#include "PartLayout.h"
#include "StrategyMesh.h"

namespace shardsmith::annotate {

/// What a strategy says of values that the workload knows.
class StrategyLayouts {
public:
  /// Both must outlive this.
  StrategyLayouts(const workload::Workload &workload, const Strategy &strategy,
                  ParameterSplit split)
      : workload(workload), strategy(strategy), axes(strategy, split),
        showsWholeKeys(split == ParameterSplit::AsUsed) {}

  const StrategyMesh &mesh() const { return axes; }

  /// A value in the layout that its tensor is kept in.
  PartLayout kept(workload::BlockIndex block,
                  const workload::MappedTensor &tensor,
                  llvm::ArrayRef<workload::ValuePart> parts) const;
  /// A value as an op of the workload reads or makes it.
  PartLayout seen(workload::BlockIndex block, workload::OpIndex op,
                  const workload::PartFactors &factors,
                  llvm::ArrayRef<workload::ValuePart> parts) const;

  /// False if parts that are split as one are in several dimensions and the
  /// first cannot take the axes alone.
  bool canBeWritten(llvm::ArrayRef<workload::ValuePart> parts,
                    const PartLayout &layout) const;

private:
  llvm::ArrayRef<MeshAxis> axesOf(workload::FactorRole role) const;
  bool isRing(const workload::Op &op, OpSplit tensorSplit) const;
  AxisList axesInOp(const workload::Op &op, workload::FactorIndex factor) const;

  const workload::Workload &workload;
  const Strategy &strategy;
  StrategyMesh axes;
  bool showsWholeKeys;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYLAYOUTS_H
