// SPDX-License-Identifier: Apache-2.0

#include "ExpectedAxes.h"

#include <set>

using namespace mlir;

namespace shardsmith::check {

using namespace workload;

ExpectedAxes::ExpectedAxes(const Mesh &mesh)
    : axes(mesh), tensor(mesh.find("tensor")) {}

/// Major first, as the mesh has them.
AxisList ExpectedAxes::named(std::initializer_list<StringRef> names) const {
  AxisList list;
  for (MeshAxis axis = 0; axis < axes.getAxisCount(); ++axis)
    if (llvm::is_contained(names, axes.getName(axis)))
      list.push_back(axis);
  return list;
}

AxisList ExpectedAxes::ofRole(FactorRole role) const {
  switch (role) {
  case FactorRole::Batch:
    return named({"data", "expert"});
  case FactorRole::Sequence:
    return named({"context", "expert_context"});
  case FactorRole::Expert:
    return named({"expert", "expert_context"});
  case FactorRole::Other:
    break;
  }
  return {};
}

bool ExpectedAxes::splitsPositions(MeshAxis axis) const {
  return llvm::is_contained(ofRole(FactorRole::Sequence), axis);
}

bool ExpectedAxes::hasContext() const {
  return !ofRole(FactorRole::Sequence).empty();
}

PartAxes
ExpectedAxes::share(ArrayRef<ValuePart> parts, std::vector<int> runs,
                    llvm::function_ref<AxisList(size_t)> wanted) const {
  PartAxes result{std::vector<AxisList>(parts.size()), std::move(runs)};
  std::set<MeshAxis> taken;
  // Experts get what tokens leave.
  for (bool experts : {false, true}) {
    std::set<int> begun;
    for (size_t part = 0; part < parts.size(); ++part) {
      int run = result.runs[part];
      bool isFirst = run >= 0 && begun.insert(run).second;
      if (!isFirst || (parts[part].role == FactorRole::Expert) != experts)
        continue;
      for (MeshAxis axis : wanted(part))
        if (taken.insert(axis).second)
          result.axes[part].push_back(axis);
    }
  }
  return result;
}

PartAxes ExpectedAxes::ofTensor(const Tensor &tensorInfo,
                                const std::vector<unsigned> &dims,
                                ArrayRef<ValuePart> parts,
                                std::optional<TensorLayout> kept) const {
  return share(parts, {dims.begin(), dims.end()}, [&](size_t part) {
    FactorRole role = parts[part].role;
    AxisList list;
    // Parameters are not data: only experts split them, and the tensor axis.
    if (tensorInfo.role != TensorRole::Parameter || role == FactorRole::Expert)
      list = ofRole(role);
    if (tensor && kept == TensorLayout::split(dims[part]))
      list.push_back(*tensor);
    return list;
  });
}

PartAxes ExpectedAxes::inOp(const Op &op, const PartFactors &factors,
                            ArrayRef<ValuePart> parts, OpSplit split,
                            ContextMethod method) const {
  std::vector<int> runs;
  for (const std::optional<FactorIndex> &factor : factors)
    runs.push_back(factor ? int(*factor) : -1);
  bool swaps = op.attention && method == ContextMethod::AllToAll;
  return share(parts, std::move(runs), [&](size_t part) {
    const workload::Factor &factor = op.factors[*factors[part]];
    AxisList own;
    if (swaps && hasContext() && *factors[part] == op.attention->keyValueHeads)
      own = ofRole(FactorRole::Sequence);
    else if (factor.kind != workload::FactorKind::Whole &&
             !(swaps && factor.role == FactorRole::Sequence))
      own = ofRole(factor.role);
    if (tensor && split.factor == factors[part]) {
      bool isHidden = parts[part].role == FactorRole::Other;
      own.insert(isHidden ? own.begin() : own.end(), *tensor);
    }
    return own;
  });
}

Layout slicesOf(const Mesh &mesh, unsigned rank, ArrayRef<ValuePart> parts,
                const PartAxes &axes) {
  Layout layout = Layout::replicated(rank);
  for (unsigned dim = 0; dim < rank; ++dim) {
    // Stretches of the dimension: elements, and the part with the axes.
    std::vector<std::pair<int64_t, size_t>> stretches;
    for (size_t part = 0; part < parts.size(); ++part) {
      if (parts[part].dim != dim)
        continue;
      bool goesOn = !stretches.empty() && axes.runs[part] >= 0 &&
                    axes.runs[part] == axes.runs[part - 1];
      if (goesOn)
        stretches.back().first *= parts[part].size;
      else
        stretches.emplace_back(parts[part].size, part);
    }
    bool dense = true;
    for (size_t i = 0; i < stretches.size(); ++i) {
      auto [size, part] = stretches[i];
      const AxisList &list = axes.axes[part];
      int64_t shards = mesh.countShards(list);
      bool even = size % shards == 0 || i + 1 == stretches.size();
      if (!list.empty() && !(dense && even))
        break;
      layout.dims[dim].append(list);
      dense = dense && shards >= size;
    }
  }
  return layout;
}

std::vector<AxisList> partsOf(const Mesh &mesh, ArrayRef<ValuePart> parts,
                              const Layout &layout) {
  std::vector<AxisList> result(parts.size());
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    size_t part = 0;
    while (part < parts.size() && parts[part].dim != dim)
      ++part;
    if (part == parts.size())
      continue;
    int64_t rest = parts[part].size;
    for (MeshAxis axis : layout.dims[dim]) {
      while (rest == 1 && part + 1 < parts.size() && parts[part + 1].dim == dim)
        rest = parts[++part].size;
      result[part].push_back(axis);
      rest = ceilDivide(rest, mesh.getSize(axis));
    }
  }
  return result;
}

} // namespace shardsmith::check
