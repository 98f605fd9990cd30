// SPDX-License-Identifier: Apache-2.0
//
// Checks of a sharding against its mesh and its tensor.

#include "AxisParts.h"

using namespace mlir;

namespace shardsmith::sdy {
namespace {

/// Checks that an axis exists and that its part divides it.
LogicalResult verifyAxis(AxisRefAttr axis, MeshAttr mesh,
                         function_ref<InFlightDiagnostic()> emitError) {
  std::optional<int64_t> size = mesh.getAxisSize(axis.getName());
  if (!size)
    return emitError() << "uses axis \"" << axis.getName()
                       << "\", which the mesh does not have";
  SubAxisInfoAttr part = axis.getSubAxisInfo();
  if (!part)
    return success();
  // preSize · size was checked for overflow when the attribute was made.
  int64_t end = part.getPreSize() * part.getSize();
  if (part.getSize() == *size || *size % end != 0)
    return emitError() << "uses (" << part.getPreSize() << ")" << part.getSize()
                       << " of axis \"" << axis.getName()
                       << "\", which is not a proper part of its size "
                       << *size;
  return success();
}

/// Checks a list of axes; within a dimension, parts that continue each other
/// must be written as one.
LogicalResult verifyAxes(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                         function_ref<InFlightDiagnostic()> emitError) {
  for (AxisRefAttr axis : axes)
    if (failed(verifyAxis(axis, mesh, emitError)))
      return failure();
  AxisParts merged;
  appendParts(merged, axes, mesh);
  if (merged.size() != axes.size())
    return emitError() << "has neighbouring parts of one axis that must be "
                          "written as one";
  return success();
}

/// Checks that `axes` are in the order of the mesh.
LogicalResult verifyOrder(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                          StringRef title,
                          function_ref<InFlightDiagnostic()> emitError) {
  auto key = [&](AxisRefAttr axis) {
    auto position = llvm::find_if(mesh.getAxes(), [&](MeshAxisAttr known) {
      return known.getName() == axis.getName();
    });
    SubAxisInfoAttr part = axis.getSubAxisInfo();
    return std::pair(position - mesh.getAxes().begin(),
                     part ? part.getPreSize() : 1);
  };
  if (llvm::is_sorted(
          axes, [&](AxisRefAttr a, AxisRefAttr b) { return key(a) < key(b); }))
    return success();
  return emitError() << "must list " << title
                     << " axes in the order of the mesh";
}

} // namespace

LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *from, const Twine &what) {
  std::string place = what.str();
  auto emitError = [&] {
    return from->emitOpError() << place << ": sharding ";
  };
  MeshAttr mesh = sharding.getMesh(from);
  if (!mesh)
    return emitError() << "refers to mesh @" << sharding.getMeshName()
                       << ", which does not exist";

  auto tensor = dyn_cast<ShapedType>(type);
  int64_t rank = tensor && tensor.hasRank() ? tensor.getRank() : 0;
  if (mesh.isMaximal() && sharding.getRank() == 0)
    return success();
  if (sharding.getRank() != rank)
    return emitError() << "has " << sharding.getRank()
                       << " dimensions but the type " << type << " has "
                       << rank;

  for (DimensionShardingAttr dim : sharding.getDimShardings())
    if (failed(verifyAxes(dim.getAxes(), mesh, emitError)))
      return failure();
  if (failed(verifyAxes(sharding.getReplicatedAxes(), mesh, emitError)) ||
      failed(verifyAxes(sharding.getUnreducedAxes(), mesh, emitError)) ||
      failed(verifyOrder(sharding.getReplicatedAxes(), mesh, "replicated",
                         emitError)))
    return failure();
  return verifyOrder(sharding.getUnreducedAxes(), mesh, "unreduced", emitError);
}

} // namespace shardsmith::sdy
