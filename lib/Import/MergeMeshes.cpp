// SPDX-License-Identifier: Apache-2.0
//
// Several meshes of the same devices become one whose axes are fine enough for
// all. An axis is a range of digits of the device number; those of the common
// mesh are the gaps between the places where some range begins or ends:
//
//   <["x"=2, "y"=4]>   x: places 4…8   y: places 1…4
//   <["a"=4, "b"=2]>   a: places 2…8   b: places 1…2
//     ─▶  <["x"=2, "y_0"=2, "y_1"=2]>    a = x, y_0    b = y_1

#include "MeshAxes.h"
#include "Unsupported.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/SymbolTable.h"

#include <map>
#include <set>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_MERGEMESHES
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// An axis as the place values at which its digits begin and end.
struct AxisRange {
  std::string name;
  int64_t low;
  int64_t high;

  bool contains(const AxisRange &other) const {
    return low <= other.low && other.high <= high && other.low < other.high;
  }
};

/// The ranges of a mesh whose devices are in row-major order, major first.
SmallVector<AxisRange> rangesOf(sdy::MeshAttr mesh) {
  SmallVector<AxisRange> ranges;
  int64_t high = mesh.getDeviceCount();
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    ranges.push_back({axis.getName().str(), high / axis.getSize(), high});
    high /= axis.getSize();
  }
  return ranges;
}

/// The common mesh. It has the name, and where they are fine enough the axes,
/// of the first.
class MergedMesh {
public:
  explicit MergedMesh(sdy::MeshOp first) : first(first) { addPlaces(first); }

  /// Returns why there is no common mesh with `mesh`; an empty string if there
  /// is one.
  std::string add(sdy::MeshOp mesh) {
    int64_t devices = mesh.getMesh().getDeviceCount();
    int64_t expected = first.getMesh().getDeviceCount();
    if (devices != expected)
      return ("a mesh of " + Twine(devices) + " devices beside '@" +
              first.getSymName() + "' of " + Twine(expected))
          .str();
    addPlaces(mesh);
    for (auto place = places.begin(), next = std::next(place);
         next != places.end(); ++place, ++next)
      if (*next % *place != 0)
        return ("axes of this mesh and of those before it begin every " +
                Twine(*place) + " and every " + Twine(*next) +
                " devices, of which neither divides the other")
            .str();
    return "";
  }

  /// Names the axes, once all meshes are known.
  void build() {
    for (const AxisRange &axis : rangesOf(first.getMesh())) {
      auto low = places.find(axis.low), high = places.find(axis.high);
      bool isWhole = axis.low == axis.high || std::next(low) == high;
      if (isWhole) {
        axes.push_back(axis);
        continue;
      }
      for (size_t part = 0; high != low; ++part) {
        int64_t end = *high--;
        axes.push_back(
            {nameOfPart(first.getMesh(), axis.name, part), *high, end});
      }
    }
    MLIRContext *context = first.getContext();
    attribute = sdy::MeshAttr::get(
        context, llvm::map_to_vector(axes, [&](const AxisRange &axis) {
          return sdy::MeshAxisAttr::get(context, axis.name,
                                        axis.high / axis.low);
        }));
  }

  sdy::MeshAttr getMesh() const { return attribute; }

  /// The axes that make up an axis of one of the meshes, major first. An axis
  /// of one device is made up of none, unless the first mesh has it.
  SmallVector<StringRef> axesOf(sdy::MeshOp mesh, StringRef name) const {
    if (mesh == first && attribute.getAxisSize(name))
      return {name};
    SmallVector<StringRef> names;
    for (const AxisRange &range : rangesOf(mesh.getMesh()))
      if (range.name == name)
        for (const AxisRange &axis : axes)
          if (range.contains(axis))
            names.push_back(axis.name);
    return names;
  }

private:
  void addPlaces(sdy::MeshOp mesh) {
    for (const AxisRange &axis : rangesOf(mesh.getMesh()))
      places.insert({axis.low, axis.high});
  }

  mutable sdy::MeshOp first;
  std::set<int64_t> places = {1};
  SmallVector<AxisRange> axes;
  sdy::MeshAttr attribute;
};

struct MergeMeshes : impl::MergeMeshesBase<MergeMeshes> {
  using MergeMeshesBase::MergeMeshesBase;

  void runOnOperation() override {
    eraseUnused();
    unsupported = ErrorList();
    auto meshes = llvm::to_vector(getOperation().getOps<sdy::MeshOp>());
    if (meshes.size() > 1)
      merge(meshes);
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  /// Keeps one, which may be what the plan is to use.
  void eraseUnused() {
    auto meshes = llvm::to_vector(getOperation().getOps<sdy::MeshOp>());
    if (meshes.size() < 2)
      return;
    SmallVector<sdy::MeshOp> unused;
    for (sdy::MeshOp mesh : meshes)
      if (SymbolTable::symbolKnownUseEmpty(mesh, getOperation()))
        unused.push_back(mesh);
    bool keepsOther = unused.size() < meshes.size();
    for (sdy::MeshOp mesh : ArrayRef(unused).drop_front(keepsOther ? 0 : 1))
      mesh.erase();
  }

  /// Leaves them as they are if they cannot be one.
  void merge(ArrayRef<sdy::MeshOp> meshes) {
    sdy::MeshOp first = meshes.front();
    MergedMesh common(first);
    std::map<std::string, sdy::MeshOp> byName;
    for (sdy::MeshOp mesh : meshes) {
      byName[mesh.getSymName().str()] = mesh;
      if (mesh == first)
        continue;
      if (std::string reason = common.add(mesh); !reason.empty())
        return refuse(mesh, reason);
    }
    common.build();
    checkGroups(first, common.getMesh());
    if (!unsupported.empty())
      return;
    renameManualAxes(byName, common);
    replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      auto mesh = byName.find(sharding.getMeshName().str());
      if (mesh == byName.end())
        return sharding;
      return withAxes(sharding, first.getSymName(), common.getMesh(),
                      [&](sdy::AxisRefAttr ref) {
                        return llvm::map_to_vector(
                            common.axesOf(mesh->second, ref.getName()),
                            [&](StringRef name) {
                              return sdy::AxisRefAttr::get(&getContext(), name);
                            });
                      });
    });
    first.setMeshAttr(common.getMesh());
    for (sdy::MeshOp mesh : meshes.drop_front())
      mesh.erase();
  }

  /// Collectives of stablehlo may name axes; they keep those they have.
  void checkGroups(sdy::MeshOp first, sdy::MeshAttr common) {
    getOperation().walk([&](Operation *op) {
      auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(
          "replica_groups");
      if (!groups || (groups.getMesh().getValue() == first.getSymName() &&
                      first.getMesh() == common))
        return;
      refuse(op, ("groups of devices along axes of '@" +
                  groups.getMesh().getValue() + "', one of several meshes")
                     .str());
    });
  }

  void refuse(Operation *op, const std::string &what) {
    unsupported.add(op->getLoc(), "unsupported: " + what +
                                      "; use one mesh for all shardings");
  }

  ErrorList unsupported;

  void renameManualAxes(const std::map<std::string, sdy::MeshOp> &byName,
                        const MergedMesh &common) {
    getOperation().walk([&](sdy::ManualComputationOp computation) {
      auto in = computation.getInShardings().getShardings();
      auto out = computation.getOutShardings().getShardings();
      if (in.empty() && out.empty())
        return;
      auto mesh =
          byName.find((in.empty() ? out : in).front().getMeshName().str());
      if (mesh == byName.end())
        return;
      SmallVector<StringAttr> names;
      for (StringAttr axis : computation.getManualAxes().getValue())
        for (StringRef name : common.axesOf(mesh->second, axis.getValue()))
          names.push_back(StringAttr::get(&getContext(), name));
      computation.setManualAxesAttr(
          sdy::ManualAxesAttr::get(&getContext(), names));
    });
  }
};

} // namespace
} // namespace shardsmith
