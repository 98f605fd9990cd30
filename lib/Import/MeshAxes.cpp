// SPDX-License-Identifier: Apache-2.0

#include "MeshAxes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace shardsmith {

std::string nameOfPart(sdy::MeshAttr mesh, StringRef axis, size_t part) {
  std::string name = (axis + "_" + Twine(part)).str();
  while (mesh.getAxisSize(name))
    name += "_";
  return name;
}

sdy::TensorShardingAttr
withAxes(sdy::TensorShardingAttr sharding, StringRef name, sdy::MeshAttr mesh,
         llvm::function_ref<SmallVector<sdy::AxisRefAttr>(sdy::AxisRefAttr)>
             axesOf) {
  auto all = [&](ArrayRef<sdy::AxisRefAttr> refs) {
    SmallVector<sdy::AxisRefAttr> axes;
    for (sdy::AxisRefAttr ref : refs)
      llvm::append_range(axes, axesOf(ref));
    return axes;
  };
  auto positionOf = [&](sdy::AxisRefAttr ref) {
    return llvm::find_if(mesh.getAxes(),
                         [&](sdy::MeshAxisAttr axis) {
                           return axis.getName() == ref.getName();
                         }) -
           mesh.getAxes().begin();
  };
  // Where the order of axes says nothing, it is that of the mesh.
  auto sorted = [&](ArrayRef<sdy::AxisRefAttr> refs) {
    SmallVector<sdy::AxisRefAttr> axes = all(refs);
    llvm::sort(axes, [&](sdy::AxisRefAttr a, sdy::AxisRefAttr b) {
      return positionOf(a) < positionOf(b);
    });
    return axes;
  };
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](sdy::DimensionShardingAttr dim) {
        SmallVector<sdy::AxisRefAttr> axes = all(dim.getAxes());
        bool decidesNothing = dim.getIsClosed() && axes.empty();
        return sdy::DimensionShardingAttr::get(
            dim.getContext(), axes, dim.getIsClosed(),
            decidesNothing ? std::nullopt : dim.getPriority());
      });
  return sdy::TensorShardingAttr::get(
      sharding.getContext(),
      FlatSymbolRefAttr::get(sharding.getContext(), name), dims,
      sorted(sharding.getReplicatedAxes()), sorted(sharding.getUnreducedAxes()),
      sharding.getUnreducedKind());
}

void forEachSharding(ModuleOp module,
                     llvm::function_ref<void(sdy::TensorShardingAttr)> visit) {
  AttrTypeWalker walker;
  walker.addWalk([&](sdy::TensorShardingAttr sharding) { visit(sharding); });
  module.walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
}

void replaceShardings(
    ModuleOp module,
    llvm::function_ref<sdy::TensorShardingAttr(sdy::TensorShardingAttr)>
        replace) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](sdy::TensorShardingAttr sharding) { return replace(sharding); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/false);
}

} // namespace shardsmith
