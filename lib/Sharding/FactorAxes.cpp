// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/FactorAxes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace llvm;

namespace shardsmith {
namespace {

std::string verifyAxesOccurOnce(const Mesh &mesh, const FactorAxes &axes) {
  SmallBitVector seen(mesh.getAxisCount());
  auto check = [&](ArrayRef<MeshAxis> list) -> std::string {
    for (MeshAxis axis : list) {
      if (axis >= mesh.getAxisCount())
        return "an axis that the mesh does not have is used";
      if (seen.test(axis))
        return "axis \"" + mesh.getName(axis).str() + "\" is used twice";
      seen.set(axis);
    }
    return "";
  };
  for (const AxisList &list : axes.factors)
    if (std::string error = check(list); !error.empty())
      return error;
  return check(axes.partial);
}

std::string verifySplit(const Mesh &mesh, const FactorRule &rule,
                        const FactorAxes &axes, FactorIndex index) {
  const Factor &factor = rule.factors[index];
  if (axes.factors[index].empty())
    return "";
  std::string name = "factor " + std::to_string(index);
  if (factor.kind == FactorKind::NeedReplication)
    return name + " must not be split";
  int64_t shards = mesh.countShards(axes.factors[index]);
  if (factor.size % shards != 0 && !rule.isWholeDimension(index))
    return name + " of size " + std::to_string(factor.size) +
           " cannot be split into " + std::to_string(shards) +
           " equal parts, and it is only a part of a dimension";
  return "";
}

/// True if no factor is split below one that is not split to single elements.
bool isContiguous(const Mesh &mesh, const FactorRule &rule,
                  const FactorAxes &axes, ArrayRef<FactorIndex> dim) {
  bool hasRest = false;
  for (FactorIndex index : dim) {
    if (hasRest && !axes.factors[index].empty())
      return false;
    hasRest |= mesh.countShards(axes.factors[index]) < rule.factors[index].size;
  }
  return true;
}

std::string verifyPartial(const FactorRule &rule, const FactorAxes &axes) {
  std::optional<ReductionKind> kind;
  if (!axes.partial.empty()) {
    if (axes.linearSet >= rule.linearOperandSets.size())
      return "operands are partial sums but the op has no linear set " +
             std::to_string(axes.linearSet);
    kind = ReductionKind::Sum;
  }
  for (auto [factor, list] : zip_equal(rule.factors, axes.factors)) {
    if (factor.kind != FactorKind::Reduction || list.empty())
      continue;
    if (kind && *kind != factor.reduction)
      return "partial results would combine in two ways";
    kind = factor.reduction;
  }
  return "";
}

Layout project(const FactorAxes &axes, const TensorFactors &tensor) {
  Layout layout;
  for (ArrayRef<FactorIndex> dim : tensor) {
    AxisList &list = layout.dims.emplace_back();
    for (FactorIndex factor : dim)
      append_range(list, axes.factors[factor]);
  }
  return layout;
}

} // namespace

FactorAxes FactorAxes::none(const FactorRule &rule) {
  FactorAxes axes;
  axes.factors.resize(rule.factors.size());
  return axes;
}

std::string verifyFactorAxes(const Mesh &mesh, const FactorRule &rule,
                             const FactorAxes &axes) {
  if (axes.factors.size() != rule.factors.size())
    return "the op has " + std::to_string(rule.factors.size()) +
           " factors but axes are given for " +
           std::to_string(axes.factors.size());
  if (std::string error = verifyAxesOccurOnce(mesh, axes); !error.empty())
    return error;
  for (FactorIndex index = 0; index < rule.factors.size(); ++index)
    if (std::string error = verifySplit(mesh, rule, axes, index);
        !error.empty())
      return error;
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (ArrayRef<FactorIndex> dim : tensor)
        if (!isContiguous(mesh, rule, axes, dim))
          return "a factor is split below one that is not split to single "
                 "elements";
  return verifyPartial(rule, axes);
}

Layout getOperandLayout(const Mesh &mesh, const FactorRule &rule,
                        const FactorAxes &axes, unsigned operand) {
  Layout layout = project(axes, rule.operands[operand]);
  if (!axes.partial.empty() &&
      is_contained(rule.linearOperandSets[axes.linearSet], operand))
    layout.addPartial(axes.partial, ReductionKind::Sum);
  return layout;
}

Layout getResultLayout(const Mesh &mesh, const FactorRule &rule,
                       const FactorAxes &axes, unsigned result) {
  Layout layout = project(axes, rule.results[result]);
  layout.addPartial(axes.partial, ReductionKind::Sum);
  // A result that has the factor itself is split along it, not reduced.
  auto hasFactor = [&](size_t index) {
    return any_of(rule.results[result], [&](ArrayRef<FactorIndex> dim) {
      return is_contained(dim, index);
    });
  };
  for (auto [index, factor] : enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduction && !hasFactor(index))
      layout.addPartial(axes.factors[index], factor.reduction);
  return layout;
}

} // namespace shardsmith
