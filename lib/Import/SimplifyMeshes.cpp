// SPDX-License-Identifier: Apache-2.0
//
// Parts of axes become axes, orders of devices become orders of axes:
//
//   <["x"=8]>, "x":(2)2                    places of x: 1 2 4 8
//     ─▶  <["x_0"=2, "x_1"=2, "x_2"=2]>, "x_1"
//   <["a"=2, "b"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
//     ─▶  <["b"=4, "a"=2]>
//
// A sharding names axes, so every device holds the same shards as before.

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <map>
#include <set>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_SIMPLIFYMESHES
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// What an axis is cut into, as the sizes of the products of its parts from
/// the major side: {1, 2, 8} are a part of 2 and one of 4.
using Places = std::set<int64_t>;

/// One mesh of the module and the parts of its axes that shardings name.
class SplitMesh {
public:
  explicit SplitMesh(sdy::MeshOp op) : op(op) {
    for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
      placesOf[axis.getName().str()] = {1, axis.getSize()};
  }

  void add(sdy::AxisRefAttr ref) {
    sdy::SubAxisInfoAttr part = ref.getSubAxisInfo();
    auto places = placesOf.find(ref.getName().str());
    if (!part || places == placesOf.end())
      return;
    places->second.insert(part.getPreSize());
    places->second.insert(part.getPreSize() * part.getSize());
  }

  /// Writes the mesh without parts and device order.
  LogicalResult simplify() {
    SmallVector<sdy::MeshAxisAttr> axes;
    for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
      if (failed(split(axis, axes)))
        return failure();
    ArrayRef<int64_t> ids = op.getMesh().getDeviceIds();
    if (!ids.empty() && !op.getMesh().isMaximal() &&
        failed(sortByStride(axes, ids)))
      return failure();
    if (!op.getMesh().isMaximal())
      op.setMeshAttr(sdy::MeshAttr::get(op.getContext(), axes));
    return success();
  }

  /// The axes that a reference stands for, major first.
  SmallVector<sdy::AxisRefAttr> axesOf(sdy::AxisRefAttr ref) const {
    auto found = partsOf.find(ref.getName().str());
    if (found == partsOf.end())
      return {ref};
    int64_t begin = 1, end = found->second.size;
    if (sdy::SubAxisInfoAttr part = ref.getSubAxisInfo()) {
      begin = part.getPreSize();
      end = begin * part.getSize();
    }
    SmallVector<sdy::AxisRefAttr> axes;
    for (const Part &part : found->second.parts)
      if (begin <= part.place && part.place < end)
        axes.push_back(sdy::AxisRefAttr::get(op.getContext(), part.name));
    return axes;
  }

  /// Sorts axes as the mesh has them, which some lists must be.
  void sort(SmallVectorImpl<sdy::AxisRefAttr> &axes) const {
    llvm::sort(axes, [&](sdy::AxisRefAttr a, sdy::AxisRefAttr b) {
      return positionOf(a.getName()) < positionOf(b.getName());
    });
  }

private:
  struct Part {
    std::string name;
    int64_t place;
  };
  struct Parts {
    int64_t size;
    SmallVector<Part> parts;
  };

  LogicalResult split(sdy::MeshAxisAttr axis,
                      SmallVectorImpl<sdy::MeshAxisAttr> &axes) {
    const Places &places = placesOf[axis.getName().str()];
    if (places.size() <= 2) {
      axes.push_back(axis);
      return success();
    }
    if (int64_t end = *places.rbegin(); end > axis.getSize())
      return op.emitError("a part of axis \"")
             << axis.getName() << "\" ends at " << end << ", beyond its "
             << axis.getSize();
    Parts &parts = partsOf[axis.getName().str()];
    parts.size = axis.getSize();
    for (auto place = places.begin(), next = std::next(place);
         next != places.end(); ++place, ++next) {
      if (*next % *place != 0)
        return op.emitError("unsupported: parts of axis \"")
               << axis.getName() << "\" that end at " << *place << " and at "
               << *next << ", of which neither divides the other";
      std::string name = newName(axis.getName(), parts.parts.size());
      parts.parts.push_back({name, *place});
      axes.push_back(
          sdy::MeshAxisAttr::get(op.getContext(), name, *next / *place));
    }
    return success();
  }

  std::string newName(StringRef axis, size_t part) const {
    std::string name = (axis + "_" + Twine(part)).str();
    while (op.getMesh().getAxisSize(name))
      name += "_";
    return name;
  }

  /// Sorts axes by the distance of neighbours, if every axis has one distance
  /// and the order of the devices is then the plain one.
  LogicalResult sortByStride(SmallVectorImpl<sdy::MeshAxisAttr> &axes,
                             ArrayRef<int64_t> ids) {
    SmallVector<int64_t> strides;
    int64_t below = ids.size();
    for (sdy::MeshAxisAttr axis : axes) {
      below /= axis.getSize();
      strides.push_back(axis.getSize() == 1 ? 0 : ids[below] - ids[0]);
    }
    for (size_t position = 0; position < ids.size(); ++position) {
      int64_t id = 0, rest = position;
      for (size_t axis = axes.size(); axis-- > 0;) {
        id += rest % axes[axis].getSize() * strides[axis];
        rest /= axes[axis].getSize();
      }
      if (ids[position] != id)
        return op.emitError("unsupported: an order of devices that no order "
                            "of the axes makes; drop device_ids");
    }
    auto order = llvm::to_vector(llvm::seq<size_t>(axes.size()));
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(-strides[a], a) < std::pair(-strides[b], b);
    });
    auto before = llvm::to_vector(axes);
    for (auto [axis, from] : llvm::zip_equal(axes, order))
      axis = before[from];
    return success();
  }

  size_t positionOf(StringRef name) const {
    ArrayRef<sdy::MeshAxisAttr> axes = op.getMesh().getAxes();
    return llvm::find_if(
               axes,
               [&](sdy::MeshAxisAttr axis) { return axis.getName() == name; }) -
           axes.begin();
  }

  mutable sdy::MeshOp op;
  std::map<std::string, Places> placesOf;
  std::map<std::string, Parts> partsOf;
};

/// Calls `visit` for every axis that a sharding names.
void forEachAxis(sdy::TensorShardingAttr sharding,
                 function_ref<void(sdy::AxisRefAttr)> visit) {
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    llvm::for_each(dim.getAxes(), visit);
  llvm::for_each(sharding.getReplicatedAxes(), visit);
  llvm::for_each(sharding.getUnreducedAxes(), visit);
}

struct SimplifyMeshes : impl::SimplifyMeshesBase<SimplifyMeshes> {
  void runOnOperation() override {
    std::map<std::string, SplitMesh> meshes;
    for (auto op : getOperation().getOps<sdy::MeshOp>())
      meshes.try_emplace(op.getSymName().str(), op);
    if (meshes.empty())
      return;
    AttrTypeWalker walker;
    walker.addWalk([&](sdy::TensorShardingAttr sharding) {
      if (auto mesh = meshes.find(sharding.getMeshName().str());
          mesh != meshes.end())
        forEachAxis(sharding,
                    [&](sdy::AxisRefAttr axis) { mesh->second.add(axis); });
    });
    getOperation().walk(
        [&](Operation *op) { walker.walk(op->getAttrDictionary()); });
    for (auto &[name, mesh] : meshes)
      if (failed(mesh.simplify()))
        return signalPassFailure();

    AttrTypeReplacer replacer;
    replacer.addReplacement([&](sdy::TensorShardingAttr sharding) {
      auto mesh = meshes.find(sharding.getMeshName().str());
      return mesh == meshes.end() ? sharding : rewrite(sharding, mesh->second);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/false);
  }

private:
  static sdy::TensorShardingAttr rewrite(sdy::TensorShardingAttr sharding,
                                         const SplitMesh &mesh) {
    auto axesOf = [&](ArrayRef<sdy::AxisRefAttr> refs) {
      SmallVector<sdy::AxisRefAttr> axes;
      for (sdy::AxisRefAttr ref : refs)
        llvm::append_range(axes, mesh.axesOf(ref));
      return axes;
    };
    auto dims = llvm::map_to_vector(
        sharding.getDimShardings(), [&](sdy::DimensionShardingAttr dim) {
          return sdy::DimensionShardingAttr::get(
              dim.getContext(), axesOf(dim.getAxes()), dim.getIsClosed(),
              dim.getPriority());
        });
    auto replicated = axesOf(sharding.getReplicatedAxes());
    auto unreduced = axesOf(sharding.getUnreducedAxes());
    mesh.sort(replicated);
    mesh.sort(unreduced);
    return sdy::TensorShardingAttr::get(
        sharding.getContext(), sharding.getMeshOrRef(), dims, replicated,
        unreduced, sharding.getUnreducedKind());
  }
};

} // namespace
} // namespace shardsmith
