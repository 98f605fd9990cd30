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
// Where no order of the axes is that of the devices, devices are numbered anew,
// in all meshes alike: values do not depend on it, and every exchange is
// between as many devices as before.

#include "MeshAxes.h"
#include "shardsmith/Import/Passes.h"

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

  /// Cuts axes into their parts.
  LogicalResult split() {
    for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
      if (failed(split(axis)))
        return failure();
    return success();
  }

  /// Where `numbers` has the number of every device, sorts axes by the
  /// distance of neighbours. False if some axis has several distances, or if
  /// the order of the devices is then not the plain one.
  bool sortByStride(ArrayRef<int64_t> numbers) {
    if (op.getMesh().getDeviceCount() != static_cast<int64_t>(numbers.size()))
      return !ordersDevices();
    SmallVector<int64_t> ids = getDevices();
    for (int64_t &id : ids)
      id = numbers[id];
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
        return false;
    }
    auto order = llvm::to_vector(llvm::seq<size_t>(axes.size()));
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(-strides[a], a) < std::pair(-strides[b], b);
    });
    sorted.clear();
    for (size_t from : order)
      sorted.push_back(axes[from]);
    return true;
  }

  /// The numbers with which the devices are in row-major order.
  SmallVector<int64_t> rowMajorNumbers() const {
    SmallVector<int64_t> ids = getDevices(), numbers(ids.size());
    for (auto [position, id] : llvm::enumerate(ids))
      numbers[id] = position;
    return numbers;
  }

  bool ordersDevices() const {
    return !op.getMesh().getDeviceIds().empty() && !op.getMesh().isMaximal();
  }

  /// Writes the mesh without parts and device order.
  void write() {
    if (!op.getMesh().isMaximal())
      op.setMeshAttr(
          sdy::MeshAttr::get(op.getContext(), sorted.empty() ? axes : sorted));
  }

  sdy::MeshOp getOp() const { return op; }

  /// The axes that a reference stands for, major first. One of one device
  /// splits nothing.
  SmallVector<sdy::AxisRefAttr> axesOf(sdy::AxisRefAttr ref) const {
    if (op.getMesh().getAxisSize(ref.getName()) == 1)
      return {};
    auto found = partsOf.find(ref.getName().str());
    if (found == partsOf.end())
      return {ref};
    int64_t begin = 1, end = found->second.size;
    if (sdy::SubAxisInfoAttr part = ref.getSubAxisInfo()) {
      begin = part.getPreSize();
      end = begin * part.getSize();
    }
    SmallVector<sdy::AxisRefAttr> refs;
    for (const Part &part : found->second.parts)
      if (begin <= part.place && part.place < end)
        refs.push_back(sdy::AxisRefAttr::get(op.getContext(), part.name));
    return refs;
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

  LogicalResult split(sdy::MeshAxisAttr axis) {
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
      std::string name =
          nameOfPart(op.getMesh(), axis.getName(), parts.parts.size());
      parts.parts.push_back({name, *place});
      axes.push_back(
          sdy::MeshAxisAttr::get(op.getContext(), name, *next / *place));
    }
    return success();
  }

  /// The devices by position.
  SmallVector<int64_t> getDevices() const {
    ArrayRef<int64_t> ids = op.getMesh().getDeviceIds();
    if (!ids.empty())
      return SmallVector<int64_t>(ids);
    return llvm::to_vector(llvm::seq<int64_t>(op.getMesh().getDeviceCount()));
  }

  mutable sdy::MeshOp op;
  std::map<std::string, Places> placesOf;
  std::map<std::string, Parts> partsOf;
  SmallVector<sdy::MeshAxisAttr> axes;
  SmallVector<sdy::MeshAxisAttr> sorted;
};

/// Calls `visit` for every axis that a sharding names.
void forEachAxis(sdy::TensorShardingAttr sharding,
                 function_ref<void(sdy::AxisRefAttr)> visit) {
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    llvm::for_each(dim.getAxes(), visit);
  llvm::for_each(sharding.getReplicatedAxes(), visit);
  llvm::for_each(sharding.getUnreducedAxes(), visit);
}

using Meshes = std::map<std::string, SplitMesh>;

bool sortAll(Meshes &meshes, ArrayRef<int64_t> numbers) {
  return llvm::all_of(meshes, [&](auto &entry) {
    return entry.second.getOp().getMesh().isMaximal() ||
           entry.second.sortByStride(numbers);
  });
}

struct SimplifyMeshes : impl::SimplifyMeshesBase<SimplifyMeshes> {
  void runOnOperation() override {
    Meshes meshes;
    for (auto op : getOperation().getOps<sdy::MeshOp>())
      meshes.try_emplace(op.getSymName().str(), op);
    if (meshes.empty())
      return;
    forEachSharding(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      if (auto mesh = meshes.find(sharding.getMeshName().str());
          mesh != meshes.end())
        forEachAxis(sharding,
                    [&](sdy::AxisRefAttr axis) { mesh->second.add(axis); });
    });
    for (auto &[name, mesh] : meshes)
      if (failed(mesh.split()))
        return signalPassFailure();
    if (failed(orderAxes(meshes)))
      return signalPassFailure();
    for (auto &[name, mesh] : meshes)
      mesh.write();
    replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      auto found = meshes.find(sharding.getMeshName().str());
      if (found == meshes.end())
        return sharding;
      const SplitMesh &mesh = found->second;
      return withAxes(sharding, sharding.getMeshName(), mesh.getOp().getMesh(),
                      [&](sdy::AxisRefAttr axis) { return mesh.axesOf(axis); });
    });
  }

private:
  /// Finds numbers of the devices with which some order of the axes of every
  /// mesh is theirs: those they have, or those of their order in one mesh.
  LogicalResult orderAxes(Meshes &meshes) {
    auto ordering = llvm::find_if(
        meshes, [](auto &entry) { return entry.second.ordersDevices(); });
    if (ordering == meshes.end())
      return success();
    sdy::MeshOp op = ordering->second.getOp();
    if (sortAll(meshes, llvm::to_vector(
                            llvm::seq<int64_t>(op.getMesh().getDeviceCount()))))
      return success();
    // The groups of their collectives are lists of devices.
    bool isManual = getOperation()
                        .walk([](sdy::ManualComputationOp) {
                          return WalkResult::interrupt();
                        })
                        .wasInterrupted();
    if (!isManual)
      for (auto &[name, mesh] : meshes)
        if (mesh.ordersDevices() && sortAll(meshes, mesh.rowMajorNumbers())) {
          emitRemark(mesh.getOp().getLoc())
              << "devices are numbered in the order of this mesh; how ranks "
              << "are placed decides which device holds which shard";
          return success();
        }
    return op.emitError("unsupported: an order of devices that no order of "
                        "the axes makes")
           << (isManual ? ", beside a manual computation" : "")
           << "; drop device_ids";
  }
};

} // namespace
} // namespace shardsmith
