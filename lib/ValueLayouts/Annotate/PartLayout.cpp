// SPDX-License-Identifier: Apache-2.0

#include "PartLayout.h"

#include "shardsmith/Support/Quantity.h"

using namespace mlir;

namespace shardsmith::annotate {
namespace {

/// The parts of one dimension; those that are split as one are joined.
struct Pieces {
  SmallVector<int64_t> sizes;
  SmallVector<AxisList> axes;
};

Pieces piecesOf(ArrayRef<workload::ValuePart> parts, const PartLayout &layout,
                unsigned dim) {
  Pieces pieces;
  int last = -1;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (part.dim != dim)
      continue;
    int group = layout.groups[index];
    if (group >= 0 && group == last) {
      pieces.sizes.back() *= part.size;
      continue;
    }
    last = group;
    pieces.sizes.push_back(part.size);
    pieces.axes.push_back(layout.axes[index]);
  }
  return pieces;
}

/// Appends the axes of a dimension from its major end on, as long as shards are
/// slices of equal size. Returns whether these are all axes.
bool appendSlices(const Mesh &mesh, const Pieces &pieces, AxisList &list) {
  bool isSplitUp = true;
  for (size_t index = 0; index < pieces.sizes.size(); ++index) {
    const AxisList &axes = pieces.axes[index];
    int64_t shards = mesh.countShards(axes);
    bool isLast = index + 1 == pieces.sizes.size();
    bool isSlice = isSplitUp && (isLast || pieces.sizes[index] % shards == 0);
    if (!axes.empty() && !isSlice)
      return false;
    list.append(axes);
    isSplitUp &= ceilDivide(pieces.sizes[index], shards) == 1;
  }
  return true;
}

} // namespace

WrittenLayout write(const Mesh &mesh, unsigned rank,
                    ArrayRef<workload::ValuePart> parts,
                    const PartLayout &layout) {
  WrittenLayout written;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Pieces pieces = piecesOf(parts, layout, dim);
    if (!appendSlices(mesh, pieces, written.layout.dims.emplace_back()))
      written.inside.push_back(
          {dim, std::move(pieces.sizes), std::move(pieces.axes)});
  }
  return written;
}

ArrayAttr toAttribute(MLIRContext *context, const Mesh &mesh,
                      ArrayRef<WrittenLayout::Inside> inside) {
  SmallVector<Attribute> list;
  for (const WrittenLayout::Inside &entry : inside) {
    SmallVector<ArrayAttr> axes;
    for (const AxisList &each : entry.axes)
      axes.push_back(toAxisNames(context, mesh, each));
    list.push_back(
        smith::PartsAttr::get(context, entry.dim, entry.sizes, axes));
  }
  return ArrayAttr::get(context, list);
}

} // namespace shardsmith::annotate
