// SPDX-License-Identifier: Apache-2.0
//
// State of the decomposition: the current layout, which ends as the target.
// For each dimension the axes of both have a common prefix; what follows it is
// `surplus` (to be removed) in the current layout and `missing` (to be added)
// in the target:
//
//   current  [a, b, | c]         surplus {c}
//   target   [a, b, | d, e]      missing {d, e}

#include "shardsmith/Sharding/Reshard.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith {
namespace {

using Kind = ReshardStep::Kind;

class Decomposer {
public:
  Decomposer(const Mesh &mesh, ArrayRef<int64_t> shape, int64_t elementBytes,
             const Layout &from, const Layout &to)
      : mesh(mesh), shape(shape), elementBytes(elementBytes), current(from),
        target(to) {}

  std::vector<ReshardStep> run() {
    while (takeStep())
      ;
    makePartial();
    return std::move(steps);
  }

private:
  bool takeStep() {
    return slice() || reduceScatter() || moveAxes(/*withOthers=*/false) ||
           permute() || moveAxes(/*withOthers=*/true) || allReduce() ||
           allGather();
  }

  //===--------------------------------------------------------------------===//
  // The state
  //===--------------------------------------------------------------------===//

  unsigned getCommonPrefix(unsigned dim) const {
    const AxisList &a = current.dims[dim], &b = target.dims[dim];
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
           a.begin();
  }
  ArrayRef<MeshAxis> getSurplus(unsigned dim) const {
    return ArrayRef(current.dims[dim]).drop_front(getCommonPrefix(dim));
  }
  ArrayRef<MeshAxis> getMissing(unsigned dim) const {
    return ArrayRef(target.dims[dim]).drop_front(getCommonPrefix(dim));
  }

  /// Partial axes that must be combined. Values that combine in another way
  /// than the target's must be combined first.
  AxisList getAxesToReduce() const {
    if (current.partialKind != target.partialKind)
      return current.partial;
    AxisList axes;
    for (MeshAxis axis : current.partial)
      if (!is_contained(target.partial, axis))
        axes.push_back(axis);
    return axes;
  }

  /// True if splitting a dimension over `outer` and then each shard further
  /// gives the shards of `inner`, of which `outer` is a prefix.
  bool nests(unsigned dim, ArrayRef<MeshAxis> outer,
             ArrayRef<MeshAxis> inner) const {
    return isNestedSplit(shape[dim], mesh.countShards(outer),
                         mesh.countShards(inner));
  }

  /// True if `axes` may be added to a dimension on the way to its target.
  bool canAppend(unsigned dim, ArrayRef<MeshAxis> axes) const {
    AxisList longer = current.dims[dim];
    append_range(longer, axes);
    return nests(dim, current.dims[dim], longer) &&
           nests(dim, longer, target.dims[dim]);
  }

  /// True if a dimension has only axes that it will have, but in another
  /// order, so that further ones may be added at its end: a permute will put
  /// all of them in order.
  bool isOutOfOrder(unsigned dim) const {
    const AxisList &wanted = target.dims[dim];
    return !getSurplus(dim).empty() && permuteCount < mostPermutes &&
           shape[dim] % mesh.countShards(wanted) == 0 &&
           all_of(
               current.dims[dim],
               [&](MeshAxis axis) { return is_contained(wanted, axis); });
  }

  /// Completes a step from the current layout to `after` and takes it.
  void take(ReshardStep step, Layout after) {
    step.before = std::move(current);
    current = std::move(after);
    step.after = current;
    step.inputShape = getLocalShape(mesh, shape, step.before);
    std::optional<CollectiveKind> collective;
    switch (step.kind) {
    case Kind::AllSlice:
    case Kind::MakePartial:
      break;
    case Kind::CollectivePermute:
      collective = CollectiveKind::Permute;
      break;
    case Kind::AllToAll:
      collective = CollectiveKind::AllToAll;
      pad(step, step.targetDim);
      break;
    case Kind::AllGather:
      collective = CollectiveKind::AllGather;
      break;
    case Kind::AllReduce:
      collective = CollectiveKind::AllReduce;
      break;
    case Kind::ReduceScatter:
      collective = CollectiveKind::ReduceScatter;
      pad(step, step.dim);
      break;
    }
    if (collective)
      step.bytes =
          getCommunicationBytes(*collective, mesh.countShards(step.axes),
                                getTensorBytes(step.inputShape, elementBytes));
    steps.push_back(std::move(step));
  }

  /// The dimension that a collective splits must hold equal parts.
  void pad(ReshardStep &step, unsigned dim) const {
    step.inputShape[dim] =
        ceilDivide(shape[dim], mesh.countShards(step.after.dims[dim])) *
        mesh.countShards(step.axes);
  }

  //===--------------------------------------------------------------------===//
  // The steps; each returns whether it applied
  //===--------------------------------------------------------------------===//

  /// The longest run of axes that satisfy `isUsable` and continue `dim` on the
  /// way to its target; all such axes if the dimension is out of order anyway.
  template <typename Predicate>
  AxisList getAppendable(unsigned dim, Predicate isUsable) const {
    AxisList run;
    if (getSurplus(dim).empty()) {
      for (MeshAxis axis : getMissing(dim)) {
        if (!isUsable(axis))
          break;
        run.push_back(axis);
      }
      while (!run.empty() && !canAppend(dim, run))
        run.pop_back();
      return run;
    }
    if (isOutOfOrder(dim))
      for (MeshAxis axis : target.dims[dim])
        if (!is_contained(current.dims[dim], axis) && isUsable(axis))
          run.push_back(axis);
    return run;
  }

  /// Appends usable axes to the first dimension where that is possible.
  template <typename Predicate>
  bool append(Kind kind, ReductionKind reduction, Predicate isUsable) {
    for (unsigned dim = 0; dim < current.getRank(); ++dim) {
      AxisList run = getAppendable(dim, isUsable);
      if (run.empty())
        continue;
      Layout after = current;
      append_range(after.dims[dim], run);
      removePartial(after, run);
      take({.kind = kind, .axes = run, .dim = dim, .reduction = reduction},
           std::move(after));
      return true;
    }
    return false;
  }

  bool slice() {
    return append(Kind::AllSlice, ReductionKind::Sum,
                  [&](MeshAxis axis) { return !current.uses(axis); });
  }

  bool reduceScatter() {
    AxisList toReduce = getAxesToReduce();
    return append(Kind::ReduceScatter, current.partialKind,
                  [&](MeshAxis axis) { return is_contained(toReduce, axis); });
  }

  void removePartial(Layout &layout, ArrayRef<MeshAxis> axes) const {
    erase_if(layout.partial,
             [&](MeshAxis axis) { return is_contained(axes, axis); });
    if (layout.partial.empty())
      layout.partialKind = ReductionKind::Sum;
  }

  bool permute() {
    if (permuteCount == mostPermutes)
      return false;
    Layout after = current;
    replaceDimensions(after);
    swapAxes(after);
    bringWantedForward(after);
    if (after == current)
      return false;
    ++permuteCount;
    AxisList axes = getPermuteAxes(mesh, current, after);
    take({.kind = Kind::CollectivePermute, .axes = std::move(axes)},
         std::move(after));
    return true;
  }

  /// Dimensions whose surplus and missing axes make equally many shards take
  /// their target at once, if nothing else holds the axes they need.
  void replaceDimensions(Layout &layout) const {
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < current.getRank(); ++dim)
      if (!getSurplus(dim).empty() && mesh.countShards(getSurplus(dim)) ==
                                          mesh.countShards(getMissing(dim)))
        dims.push_back(dim);
    // Dropping one dimension may take axes away from others: repeat.
    auto isAvailable = [&](MeshAxis axis) {
      return !current.uses(axis) || any_of(dims, [&](unsigned dim) {
        return is_contained(getSurplus(dim), axis);
      });
    };
    for (bool changed = true; changed;) {
      size_t before = dims.size();
      erase_if(dims, [&](unsigned dim) {
        return !all_of(getMissing(dim), isAvailable);
      });
      changed = dims.size() != before;
    }
    for (unsigned dim : dims)
      layout.dims[dim] = target.dims[dim];
  }

  /// Renames axes of equal size so that more of them are where they belong.
  void swapAxes(Layout &layout) const {
    for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
      AxisList &axes = layout.dims[dim];
      const AxisList &wanted = target.dims[dim];
      for (size_t i = 0; i < std::min(axes.size(), wanted.size()); ++i) {
        MeshAxis old = axes[i];
        if (old == wanted[i] || mesh.getSize(old) != mesh.getSize(wanted[i]) ||
            is_contained(layout.partial, wanted[i]))
          continue;
        for (AxisList &other : layout.dims)
          for (MeshAxis &axis : other) {
            if (axis == old)
              axis = wanted[i];
            else if (axis == wanted[i])
              axis = old;
          }
      }
    }
  }

  /// Where a dimension has the axis it needs next, but behind others, that
  /// axis comes first.
  void bringWantedForward(Layout &layout) const {
    for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
      AxisList &axes = layout.dims[dim];
      const AxisList &wanted = target.dims[dim];
      for (size_t i = 0; i < std::min(axes.size(), wanted.size()); ++i) {
        auto *place = find(axes, wanted[i]);
        if (place == axes.end())
          break;
        std::rotate(axes.begin() + i, place, place + 1);
      }
    }
  }

  /// Moves a suffix of one dimension's surplus to a dimension that misses it.
  /// `withOthers`: the suffix may end in axes that the target has nowhere;
  /// they are gathered later, from a smaller tensor.
  bool moveAxes(bool withOthers) {
    for (unsigned source = 0; source < current.getRank(); ++source) {
      ArrayRef<MeshAxis> surplus = getSurplus(source);
      for (size_t drop = 0; drop < surplus.size(); ++drop) {
        ArrayRef<MeshAxis> suffix = surplus.drop_front(drop);
        AxisList rest = current.dims[source];
        rest.pop_back_n(suffix.size());
        if (!nests(source, rest, current.dims[source]))
          continue;
        for (unsigned dim = 0; dim < current.getRank(); ++dim)
          if (dim != source && canMoveTo(dim, suffix, withOthers)) {
            Layout after = current;
            after.dims[source] = rest;
            append_range(after.dims[dim], suffix);
            take({.kind = Kind::AllToAll,
                  .axes = AxisList(suffix),
                  .dim = source,
                  .targetDim = dim},
                 std::move(after));
            return true;
          }
      }
    }
    return false;
  }

  bool canMoveTo(unsigned dim, ArrayRef<MeshAxis> suffix,
                 bool withOthers) const {
    if (isOutOfOrder(dim))
      return all_of(suffix, [&](MeshAxis axis) {
        return is_contained(target.dims[dim], axis);
      });
    if (!getSurplus(dim).empty())
      return false;
    ArrayRef<MeshAxis> missing = getMissing(dim);
    size_t matching = std::mismatch(suffix.begin(), suffix.end(),
                                    missing.begin(), missing.end())
                          .first -
                      suffix.begin();
    if (matching == suffix.size())
      return canAppend(dim, suffix);
    if (!withOthers || matching == 0)
      return false;
    bool othersAreUnwanted =
        none_of(suffix.drop_front(matching),
                [&](MeshAxis axis) { return target.uses(axis); });
    AxisList wanted = current.dims[dim], all = current.dims[dim];
    append_range(wanted, suffix.take_front(matching));
    append_range(all, suffix);
    return othersAreUnwanted && canAppend(dim, suffix.take_front(matching)) &&
           nests(dim, wanted, all) && nests(dim, current.dims[dim], all);
  }

  bool allReduce() {
    AxisList axes = getAxesToReduce();
    if (axes.empty())
      return false;
    Layout after = current;
    removePartial(after, axes);
    take({.kind = Kind::AllReduce,
          .axes = axes,
          .reduction = current.partialKind},
         std::move(after));
    return true;
  }

  bool allGather() {
    for (unsigned dim = 0; dim < current.getRank(); ++dim) {
      const AxisList &axes = current.dims[dim];
      if (axes == target.dims[dim])
        continue;
      // Either there is surplus, or the missing axes are free but the shards
      // of the target do not nest in the present ones: start from the whole.
      AxisList rest(axes.begin(), axes.begin() + getCommonPrefix(dim));
      bool isPrefix = getSurplus(dim).empty();
      if (isPrefix && nests(dim, axes, target.dims[dim]))
        continue;
      if (isPrefix || !nests(dim, rest, axes) ||
          !nests(dim, rest, target.dims[dim]))
        rest.clear();
      Layout after = current;
      after.dims[dim] = rest;
      take({.kind = Kind::AllGather,
            .axes = AxisList(ArrayRef(axes).drop_front(rest.size())),
            .dim = dim},
           std::move(after));
      return true;
    }
    return false;
  }

  void makePartial() {
    AxisList axes;
    for (MeshAxis axis : target.partial)
      if (!is_contained(current.partial, axis))
        axes.push_back(axis);
    if (axes.empty())
      return;
    Layout after = current;
    after.addPartial(axes, target.partialKind);
    take({.kind = Kind::MakePartial,
          .axes = axes,
          .reduction = target.partialKind},
         std::move(after));
  }

  const Mesh &mesh;
  ArrayRef<int64_t> shape;
  int64_t elementBytes;
  Layout current;
  const Layout &target;
  /// Permutes could undo each other for ever; two are as good as many.
  static constexpr unsigned mostPermutes = 2;
  unsigned permuteCount = 0;
  std::vector<ReshardStep> steps;
};

} // namespace

std::vector<ReshardStep>
decomposeReshard(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                 int64_t elementBytes, const Layout &from, const Layout &to) {
  return Decomposer(mesh, globalShape, elementBytes, from, to).run();
}

Bytes getReshardBytes(ArrayRef<ReshardStep> steps) {
  Bytes bytes;
  for (const ReshardStep &step : steps)
    bytes += step.bytes;
  return bytes;
}

// A device holds, in one layout, one shard index per dimension and one copy
// number (its index over the axes the layout does not use). Both layouts
// number the same set of (shards, copy), so equal numbers give a bijection.
SmallVector<std::pair<int64_t, int64_t>>
getPermutePairs(const Mesh &mesh, const Layout &before, const Layout &after) {
  // Axes that keep their place need not be exchanged over: they and all axes
  // used by neither layout count as one more fixed coordinate each.
  auto numberOf = [&](int64_t device, const Layout &layout) {
    SmallVector<int64_t> number;
    for (const AxisList &axes : layout.dims)
      number.push_back(mesh.getShardIndex(device, axes));
    int64_t copy = 0;
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis) {
      if (before.uses(axis) || after.uses(axis)) {
        if (!layout.uses(axis))
          copy = copy * mesh.getSize(axis) + mesh.getCoordinate(device, axis);
        else if (is_contained(layout.partial, axis))
          number.push_back(mesh.getCoordinate(device, axis));
      } else {
        number.push_back(mesh.getCoordinate(device, axis));
      }
    }
    number.push_back(copy);
    return number;
  };
  SmallVector<std::pair<SmallVector<int64_t>, int64_t>> sources;
  int64_t devices = mesh.getDeviceCount();
  for (int64_t device = 0; device < devices; ++device)
    sources.emplace_back(numberOf(device, before), device);
  llvm::sort(sources);

  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t device = 0; device < devices; ++device) {
    auto source = std::pair(numberOf(device, after), int64_t(0));
    pairs.emplace_back(lower_bound(sources, source)->second, device);
  }
  llvm::sort(pairs);
  return pairs;
}

/// The dimension that an axis splits, and by how many shards of it two devices
/// are apart that are neighbours along the axis.
static std::optional<std::pair<unsigned, int64_t>>
placeOf(const Mesh &mesh, const Layout &layout, MeshAxis axis) {
  for (auto [dim, axes] : enumerate(layout.dims))
    if (const MeshAxis *place = find(axes, axis); place != axes.end())
      return std::pair(unsigned(dim),
                       mesh.countShards(ArrayRef(place + 1, axes.end())));
  return std::nullopt;
}

AxisList getPermuteAxes(const Mesh &mesh, const Layout &before,
                        const Layout &after) {
  AxisList axes;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    if (mesh.getSize(axis) > 1 &&
        placeOf(mesh, before, axis) != placeOf(mesh, after, axis))
      axes.push_back(axis);
  return axes;
}

} // namespace shardsmith
