// SPDX-License-Identifier: Apache-2.0

#include "NamedValues.h"

#include <set>

namespace shardsmith::emit {
namespace {

/// The axes that split one part of a dimension, major to minor. `isFirst`: no
/// part before it is of the same dimension of the tensor.
std::vector<std::string> axesOfPart(const NamedValue::Part &part, bool isFirst,
                                    const TensorLayout &layout,
                                    const Strategy &strategy,
                                    const DeviceMesh &mesh) {
  std::vector<std::string> axes;
  if (part.role == workload::FactorRole::Batch)
    axes = mesh.batch;
  if (part.role == workload::FactorRole::Sequence && strategy.context > 1)
    axes.emplace_back(nameOf(PlanAxis::Context));
  if (isFirst && layout == TensorLayout::split(part.tensorDim) &&
      strategy.tensor > 1)
    axes.emplace_back(nameOf(PlanAxis::Tensor));
  return axes;
}

} // namespace

std::optional<DimensionAxes> axesOf(const NamedValue &value,
                                    const EmitInput &input,
                                    const DeviceMesh &mesh) {
  const Strategy &strategy = input.strategy();
  const TensorLayout &layout =
      strategy.layouts[value.block].tensors[value.tensor];
  if (layout.kind == TensorLayout::Kind::Partial)
    return std::nullopt;
  DimensionAxes dims(value.shape.size());
  std::set<unsigned> begun, begunOfTensor;
  for (const NamedValue::Part &part : value.parts) {
    bool isMinor = !begun.insert(part.dim).second;
    bool isFirst = begunOfTensor.insert(part.tensorDim).second;
    std::vector<std::string> axes =
        axesOfPart(part, isFirst, layout, strategy, mesh);
    if (axes.empty())
      continue;
    if (isMinor || part.size % mesh.sizeOf(axes))
      return std::nullopt;
    dims[part.dim] = std::move(axes);
  }
  return dims;
}

} // namespace shardsmith::emit
