// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/ShardingAttributes.h"

#include "shardsmith/Support/ProgramManifest.h"

using namespace mlir;

namespace shardsmith {
namespace {

SmallVector<sdy::AxisRefAttr> toAxisRefs(MLIRContext *context, const Mesh &mesh,
                                         ArrayRef<MeshAxis> axes) {
  return llvm::map_to_vector(axes, [&](MeshAxis axis) {
    return sdy::AxisRefAttr::get(context, mesh.getName(axis));
  });
}

LogicalResult appendAxes(ArrayRef<sdy::AxisRefAttr> refs, const Mesh &mesh,
                         Operation *op, AxisList &axes) {
  for (sdy::AxisRefAttr ref : refs) {
    if (ref.getSubAxisInfo())
      return op->emitError("uses a part of mesh axis \"")
             << ref.getName()
             << "\"; split the axis in the mesh instead, for example into \""
             << ref.getName() << "_0\" and \"" << ref.getName() << "_1\"";
    std::optional<MeshAxis> axis = mesh.find(ref.getName());
    if (!axis)
      return op->emitError("uses axis \"")
             << ref.getName() << "\", which the mesh does not have";
    axes.push_back(*axis);
  }
  return success();
}

} // namespace

Mesh toMesh(sdy::MeshAttr attribute) {
  SmallVector<Mesh::Axis> axes;
  for (sdy::MeshAxisAttr axis : attribute.getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  return Mesh(axes);
}

FailureOr<NamedMesh> getMesh(ModuleOp module) {
  auto meshes = llvm::to_vector(module.getOps<sdy::MeshOp>());
  if (meshes.size() != 1)
    return module.emitError("expected exactly one sdy.mesh in the module, got ")
           << meshes.size();
  sdy::MeshOp op = meshes.front();
  if (!op.getMesh().getDeviceIds().empty())
    return op.emitOpError("orders devices explicitly; only the row-major order "
                          "can be partitioned: drop device_ids");
  return NamedMesh{toMesh(op.getMesh()), op.getSymName().str()};
}

FailureOr<NamedMesh> getProgramMesh(ModuleOp module) {
  FailureOr<NamedMesh> mesh = getMesh(module);
  if (failed(mesh))
    return failure();
  if (int64_t devices = mesh->mesh.getDeviceCount();
      devices > mostRanksOfProgram)
    return module.emitError()
           << "the mesh has " << devices << " devices: programs are made for "
           << mostRanksOfProgram << " at most";
  return mesh;
}

FailureOr<Layout> toLayout(sdy::TensorShardingAttr attribute, unsigned rank,
                           const NamedMesh &mesh, Operation *op) {
  if (!attribute)
    return Layout::replicated(rank);
  sdy::MeshAttr attributeMesh = attribute.getMesh(op);
  if (attribute.getMeshName() != mesh.name &&
      (!attributeMesh || toMesh(attributeMesh) != mesh.mesh))
    return op->emitError("uses another mesh than @") << mesh.name;
  if (attribute.getRank() != rank)
    return op->emitError("has a sharding of rank ")
           << attribute.getRank() << " for a tensor of rank " << rank;
  Layout layout;
  for (sdy::DimensionShardingAttr dim : attribute.getDimShardings())
    if (failed(appendAxes(dim.getAxes(), mesh.mesh, op,
                          layout.dims.emplace_back())))
      return failure();
  AxisList partial;
  if (failed(appendAxes(attribute.getUnreducedAxes(), mesh.mesh, op, partial)))
    return failure();
  layout.addPartial(partial, attribute.getUnreducedKind());
  return layout;
}

sdy::TensorShardingAttr toAttribute(MLIRContext *context, const NamedMesh &mesh,
                                    const Layout &layout) {
  auto dims = llvm::map_to_vector(layout.dims, [&](const AxisList &axes) {
    return sdy::DimensionShardingAttr::get(
        context, toAxisRefs(context, mesh.mesh, axes));
  });
  return sdy::TensorShardingAttr::get(
      context, mesh.name, dims, toAxisRefs(context, mesh.mesh, layout.partial),
      layout.partialKind);
}

FailureOr<FactorAxes> toFactorAxes(smith::FactorAxesAttr attribute,
                                   const Mesh &mesh, Operation *op) {
  auto convert = [&](ArrayAttr names, AxisList &axes) -> LogicalResult {
    for (auto name : names.getAsRange<StringAttr>()) {
      std::optional<MeshAxis> axis = mesh.find(name.getValue());
      if (!axis)
        return op->emitOpError("splits a factor over axis ")
               << name << ", which the mesh does not have";
      axes.push_back(*axis);
    }
    return success();
  };
  FactorAxes axes;
  for (ArrayAttr names : attribute.getFactors())
    if (failed(convert(names, axes.factors.emplace_back())))
      return failure();
  if (failed(convert(attribute.getPartial(), axes.partial)))
    return failure();
  llvm::sort(axes.partial);
  axes.linearSet = attribute.getLinearSet();
  return axes;
}

smith::FactorAxesAttr toAttribute(MLIRContext *context, const Mesh &mesh,
                                  const FactorAxes &axes) {
  auto factors = llvm::map_to_vector(axes.factors, [&](const AxisList &list) {
    return toAxisNames(context, mesh, list);
  });
  unsigned linearSet = axes.partial.empty() ? 0 : axes.linearSet;
  return smith::FactorAxesAttr::get(
      context, factors, toAxisNames(context, mesh, axes.partial), linearSet);
}

ArrayAttr toAxisNames(MLIRContext *context, const Mesh &mesh,
                      ArrayRef<MeshAxis> axes) {
  Builder builder(context);
  return builder.getStrArrayAttr(llvm::map_to_vector(
      axes, [&](MeshAxis axis) { return mesh.getName(axis); }));
}

AxisList toAxes(const Mesh &mesh, ArrayAttr names) {
  AxisList axes;
  for (auto name : names.getAsRange<StringAttr>())
    axes.push_back(*mesh.find(name.getValue()));
  return axes;
}

int64_t getElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBytes(complex.getElementType());
  return ceilDivide(elementType.getIntOrFloatBitWidth(), 8);
}

} // namespace shardsmith
