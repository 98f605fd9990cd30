// SPDX-License-Identifier: Apache-2.0

#include "FileGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith::check {

using namespace workload;

namespace {

unsigned rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

} // namespace

bool FileGraph::hasSharding(Value value) const {
  return bool(sdy::getSharding(peers.values.lookup(value)));
}

Layout FileGraph::layoutOf(Value value) const {
  Value peer = peers.values.lookup(value);
  Operation *op = peer.getDefiningOp();
  if (!op)
    op = peer.getParentBlock()->getParentOp();
  FailureOr<Layout> layout =
      toLayout(sdy::getSharding(peer), rankOf(value), named, op);
  return succeeded(layout) ? *layout : Layout::replicated(rankOf(value));
}

SmallVector<smith::PartsAttr> FileGraph::insidesOf(Value value) const {
  Value peer = peers.values.lookup(value);
  ArrayAttr list;
  if (auto argument = dyn_cast<BlockArgument>(peer)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    list = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                smith::kPartsAttributeName);
  } else if (auto all = peer.getDefiningOp()->getAttrOfType<ArrayAttr>(
                 smith::kPartsAttributeName)) {
    list = cast<ArrayAttr>(all[cast<OpResult>(peer).getResultNumber()]);
  }
  if (!list)
    return {};
  return llvm::to_vector(list.getAsRange<smith::PartsAttr>());
}

std::optional<std::vector<AxisList>> FileGraph::partsOf(Value value) const {
  ArrayRef<ValuePart> parts = map.partsOf(value);
  std::vector<AxisList> axes =
      check::partsOf(named.mesh, parts, layoutOf(value));
  for (smith::PartsAttr inside : insidesOf(value)) {
    size_t part = 0;
    while (part < parts.size() && parts[part].dim != inside.getDim())
      ++part;
    for (auto [size, list] :
         llvm::zip_equal(inside.getSizes(), inside.getAxes())) {
      size_t first = part;
      int64_t covered = 1;
      while (covered < size && part < parts.size() &&
             parts[part].dim == inside.getDim()) {
        axes[part].clear();
        covered *= parts[part++].size;
      }
      if (covered != size)
        return std::nullopt;
      for (auto name : list.getAsRange<StringAttr>()) {
        std::optional<MeshAxis> axis = named.mesh.find(name.getValue());
        if (!axis || first == part)
          return std::nullopt;
        axes[first].push_back(*axis);
      }
    }
  }
  return axes;
}

bool FileGraph::isAnnotatedWith(Value value, const PartAxes &expected) const {
  if (!hasSharding(value))
    return false;
  ArrayRef<ValuePart> parts = map.partsOf(value);
  Layout slices = slicesOf(named.mesh, rankOf(value), parts, expected);
  if (layoutOf(value) != slices)
    return false;
  std::optional<std::vector<AxisList>> found = partsOf(value);
  if (!found)
    return false;
  SmallVector<AxisList> said(rankOf(value)), wanted(rankOf(value));
  for (auto [part, list] : llvm::zip_equal(parts, *found))
    said[part.dim].append(list);
  for (auto [part, list] : llvm::zip_equal(parts, expected.axes))
    wanted[part.dim].append(list);
  SmallVector<bool> isInside(rankOf(value), false);
  for (smith::PartsAttr inside : insidesOf(value))
    isInside[inside.getDim()] = true;
  for (unsigned dim = 0; dim < said.size(); ++dim)
    if (said[dim] != wanted[dim] ||
        isInside[dim] != (slices.dims[dim] != wanted[dim]))
      return false;
  for (auto [index, part] : llvm::enumerate(parts))
    if (isInside[part.dim] && (*found)[index] != expected.axes[index])
      return false;
  return true;
}

std::string FileGraph::describe(Value value, ArrayRef<AxisList> axes) const {
  std::string text = "[";
  for (auto [part, list] : llvm::zip_equal(map.partsOf(value), axes)) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(part.size);
    if (list.empty())
      continue;
    text += "{";
    for (size_t i = 0; i < list.size(); ++i)
      text += (i ? ", \"" : "\"") + named.mesh.getName(list[i]).str() + "\"";
    text += "}";
  }
  return text + "]";
}

std::string FileGraph::describe(Value value) const {
  if (!hasSharding(value))
    return "no sharding";
  if (auto parts = partsOf(value))
    return describe(value, *parts);
  return "parts at other places";
}

} // namespace shardsmith::check
