// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Pieces.h"

#include "Kernels/Movement.h"
#include "Kernels/Reduction.h"
#include "ReductionKinds.h"
#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// A piece that holds nothing but padding: NaN, or a large odd pattern.
Tensor padding(ElementType type, ArrayRef<int64_t> shape) {
  if (isFloat(type))
    return Tensor::filled(type, shape, std::numeric_limits<double>::quiet_NaN())
        .denseCopy();
  uint64_t pattern = 0x5a5a5a5a5a5a5a5a;
  if (type == ElementType::Bool || isNarrow(type))
    pattern = 1;
  return Tensor::splat(type, shape, &pattern).denseCopy();
}

Shape localShape(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                 const Layout &layout) {
  Shape shape;
  for (auto [size, axes] : zip_equal(globalShape, layout.dims))
    shape.push_back(ceilDivide(size, mesh.countShards(axes)));
  return shape;
}

/// The part of the whole tensor that a device holds.
struct Window {
  Shape starts, limits;
};

Window windowOf(int64_t device, ArrayRef<int64_t> globalShape,
                const Layout &layout, const Mesh &mesh) {
  const Shape local = localShape(mesh, globalShape, layout);
  Window window;
  for (size_t dim = 0; dim < local.size(); ++dim) {
    const int64_t shard = mesh.getShardIndex(device, layout.dims[dim]);
    const int64_t start = std::min(shard * local[dim], globalShape[dim]);
    window.starts.push_back(start);
    window.limits.push_back(std::min(start + local[dim], globalShape[dim]));
  }
  return window;
}

Shape extent(const Window &window) {
  Shape shape;
  for (auto [start, limit] : zip_equal(window.starts, window.limits))
    shape.push_back(limit - start);
  return shape;
}

StridedBox boxAt(ArrayRef<int64_t> starts, ArrayRef<int64_t> shape) {
  StridedBox box{0, rowMajorStrides(shape)};
  for (size_t dim = 0; dim < starts.size(); ++dim)
    box.offset += starts[dim] * box.strides[dim];
  return box;
}

/// The piece of a device without its padding.
Tensor content(const Tensor &piece, const Window &window) {
  const Shape origin(piece.rank(), 0), ones(piece.rank(), 1);
  return slice(piece, origin, extent(window), ones);
}

} // namespace

DeviceGroups groupsOver(const Mesh &mesh, ArrayRef<MeshAxis> axes) {
  // Axes along which members of a group agree, and their coordinates there.
  AxisList others;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    if (!is_contained(axes, axis))
      others.push_back(axis);
  DeviceGroups groups(mesh.countShards(others));
  for (SmallVector<int64_t> &group : groups)
    group.resize(mesh.countShards(axes));
  for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
    groups[mesh.getShardIndex(device, others)]
          [mesh.getShardIndex(device, axes)] = device;
  return groups;
}

SmallVector<Tensor> splitByLayout(const Tensor &global, const Layout &layout,
                                  const Mesh &mesh) {
  const Shape shape = localShape(mesh, global.shape(), layout);
  const Shape ones(global.rank(), 1);
  SmallVector<Tensor> pieces;
  for (int64_t device = 0; device < mesh.getDeviceCount(); ++device) {
    const Window window = windowOf(device, global.shape(), layout, mesh);
    if (layout.partialKind == ReductionKind::Sum &&
        mesh.getShardIndex(device, layout.partial) != 0) {
      pieces.push_back(Tensor::zeros(global.type(), shape));
      continue;
    }
    Tensor part = slice(global, window.starts, window.limits, ones);
    if (part.shape() == ArrayRef<int64_t>(shape)) {
      pieces.push_back(part);
      continue;
    }
    Tensor piece = padding(global.type(), shape);
    writeBox(piece, {0, rowMajorStrides(shape)}, part);
    pieces.push_back(piece);
  }
  return pieces;
}

Assembled assemble(ArrayRef<Tensor> pieces, ArrayRef<int64_t> globalShape,
                   const Layout &layout, const Mesh &mesh,
                   const Tolerance &copies) {
  SmallVector<Tensor> whole(pieces);
  if (!layout.partial.empty())
    for (ArrayRef<int64_t> group : groupsOver(mesh, layout.partial)) {
      SmallVector<Tensor> members;
      for (int64_t device : group)
        members.push_back(pieces[device]);
      Tensor combined = reduceAcross(binaryKind(layout.partialKind), members);
      for (int64_t device : group)
        whole[device] = combined;
    }

  Assembled result;
  result.tensor = Tensor::zeros(whole.front().type(), globalShape).denseCopy();
  // Devices whose pieces cover the same window hold copies of it; the first
  // one is written, the others are compared with it.
  std::map<Shape, int64_t> writers;
  for (int64_t device = 0; device < mesh.getDeviceCount(); ++device) {
    const Window window = windowOf(device, globalShape, layout, mesh);
    const Tensor part = content(whole[device], window);
    auto [writer, isFirst] = writers.try_emplace(Shape(window.starts), device);
    if (isFirst) {
      writeBox(result.tensor, boxAt(window.starts, globalShape), part);
      continue;
    }
    if (!result.divergence.empty())
      continue;
    const Tensor first = content(whole[writer->second], window);
    if (ComparisonReport report = compareTensors(part, first, copies);
        !report.holds())
      result.divergence = "devices " + std::to_string(writer->second) +
                          " and " + std::to_string(device) +
                          " should hold the same values: " + report.str();
  }
  return result;
}

} // namespace shardsmith::inline interpreter
