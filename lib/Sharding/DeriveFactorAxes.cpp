// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/DeriveFactorAxes.h"

#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace shardsmith {
namespace {

/// Distributes the axes of one dimension over its factors: each factor takes
/// axes while they divide what is left of it.
///
///   dimension [i=2, j=4] over {"x"=2, "y"=2}:  i: {x}, j: {y}
SmallVector<AxisList> splitAmongFactors(const Mesh &mesh,
                                        const FactorRule &rule,
                                        ArrayRef<FactorIndex> dim,
                                        ArrayRef<MeshAxis> axes) {
  SmallVector<AxisList> perFactor(dim.size());
  for (auto [list, factor] : zip_equal(perFactor, dim)) {
    bool isWhole = rule.isWholeDimension(factor);
    int64_t rest = rule.factors[factor].size;
    // Uneven splits are possible only where the factor is the dimension.
    while (!axes.empty() &&
           (isWhole || rest % mesh.getSize(axes.front()) == 0)) {
      rest /= mesh.getSize(axes.front());
      list.push_back(axes.front());
      axes = axes.drop_front();
    }
  }
  return perFactor;
}

/// The axes that results whose layouts are known have for a factor, as far as
/// they agree with `wanted`. Operands are not asked to stay where they are if
/// what is made of them is wanted elsewhere: that would exchange for nothing.
AxisList limitToResults(const FactorRule &rule, ArrayRef<KnownLayout> known,
                        FactorIndex factor, AxisList wanted) {
  for (const KnownLayout &each : known) {
    bool isResult = any_of(rule.results, [&](const TensorFactors &factors) {
      return &factors == each.factors;
    });
    if (!isResult)
      continue;
    for (auto [dim, axes] : zip_equal(*each.factors, each.layout.dims)) {
      if (!is_contained(dim, factor))
        continue;
      size_t common = 0;
      while (common < std::min(wanted.size(), axes.size()) &&
             wanted[common] == axes[common])
        ++common;
      wanted.truncate(common);
    }
  }
  return wanted;
}

bool isPrefix(ArrayRef<MeshAxis> prefix, ArrayRef<MeshAxis> list) {
  return prefix.size() <= list.size() &&
         list.take_front(prefix.size()) == prefix;
}

} // namespace

FactorAxes deriveFactorAxes(const Mesh &mesh, const FactorRule &rule,
                            ArrayRef<KnownLayout> known) {
  FactorAxes chosen = FactorAxes::none(rule);
  // Extends the axes of one factor by as many of `wanted` as are possible.
  auto extend = [&](FactorIndex factor, AxisList wanted) {
    for (; wanted.size() > chosen.factors[factor].size(); wanted.pop_back()) {
      if (!isPrefix(chosen.factors[factor], wanted))
        return;
      FactorAxes attempt = chosen;
      attempt.factors[factor] = wanted;
      if (!verifyFactorAxes(mesh, rule, attempt).empty())
        continue;
      chosen = std::move(attempt);
      return;
    }
  };

  auto order = to_vector(seq<size_t>(known.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::tuple(known[b].weight, a) < std::tuple(known[a].weight, b);
  });
  for (size_t index : order)
    for (auto [dim, axes] :
         zip_equal(*known[index].factors, known[index].layout.dims))
      for (auto [factor, wanted] :
           zip_equal(dim, splitAmongFactors(mesh, rule, dim, axes)))
        extend(factor, rule.factors[factor].kind == FactorKind::Permutation
                           ? limitToResults(rule, known, factor, wanted)
                           : wanted);
  return chosen;
}

} // namespace shardsmith
