// SPDX-License-Identifier: Apache-2.0

#include "Meshes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace shardsmith::plan {
namespace {

std::string textOf(ArrayRef<FixedAxis> axes) {
  std::string text;
  for (const FixedAxis &axis : axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::vector<FixedAxis> axesOf(const Mesh &mesh) {
  std::vector<FixedAxis> axes;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    axes.push_back({mesh.getName(axis).str(), mesh.getSize(axis)});
  return axes;
}

Error checkDeviceCount(ArrayRef<FixedAxis> axes, int64_t devices, ExitCode code,
                       const std::string &origin) {
  int64_t product = 1;
  for (const FixedAxis &axis : axes)
    product = checkedMultiply(product, axis.size).value_or(INT64_MAX);
  if (product == devices)
    return Error::success();
  return makeError(
      code, origin + " (" + textOf(axes) + ") is for " +
                std::to_string(product) + " devices, but the cluster has " +
                std::to_string(devices) + "; change an axis or the cluster");
}

Mesh makeMesh(ArrayRef<FixedAxis> axes) {
  SmallVector<Mesh::Axis> list;
  for (const FixedAxis &axis : axes)
    list.push_back({axis.name, axis.size});
  return Mesh(list);
}

Expected<std::vector<MeshCandidate>>
meshOfPins(const Pins &pins, int64_t devices, const PlanOptions &options) {
  const Mesh &mesh = pins.mesh->mesh;
  std::vector<FixedAxis> axes = axesOf(mesh);
  if (Error error = checkDeviceCount(axes, devices, ExitCode::BadInput,
                                     "the mesh of the file's shardings"))
    return std::move(error);
  if (!options.fix.empty() && options.fix != axes)
    return makeError(
        ExitCode::BadInput,
        "the file's shardings use the mesh " + textOf(axes) +
            ", which is not the one asked for: " + textOf(options.fix));
  std::vector<AxisRole> roles(axes.size(), AxisRole::Free);
  for (size_t axis = 0; axis < options.fix.size(); ++axis)
    roles[axis] = roleOfAxis(options.fix[axis].name);
  return std::vector<MeshCandidate>{{mesh, roles, /*isNamed=*/true}};
}

/// Whether all devices are equally far from each other, so that ranks may
/// change places.
bool isOneSwitch(const Cluster &cluster) {
  const Group &group = cluster.groups.front();
  const Node &node = group.node;
  return cluster.groups.size() == 1 && group.count == 1 && node.count == 1 &&
         node.islands.empty() && node.fabricTopology != "ring" &&
         cluster.links.empty();
}

} // namespace

Expected<std::vector<MeshCandidate>> findMeshes(const Cluster &cluster,
                                                const Pins &pins,
                                                const PlanOptions &options) {
  int64_t devices = options.devices > 0
                        ? options.devices
                        : int64_t(cluster.usableDevices().size());
  if (!pins.empty())
    return meshOfPins(pins, devices, options);
  if (!options.fix.empty()) {
    if (Error error = checkDeviceCount(options.fix, devices, ExitCode::Usage,
                                       "the mesh that is asked for"))
      return std::move(error);
    std::vector<AxisRole> roles;
    for (const FixedAxis &axis : options.fix)
      roles.push_back(roleOfAxis(axis.name));
    return std::vector<MeshCandidate>{{makeMesh(options.fix), roles, true}};
  }

  std::vector<MeshCandidate> meshes;
  meshes.push_back({makeMesh({{"a", devices}}), {AxisRole::Free}, false});
  for (int64_t major = devices / 2; major >= 2; --major) {
    int64_t minor = devices / major;
    if (devices % major != 0 || (major < minor && isOneSwitch(cluster)))
      continue;
    meshes.push_back({makeMesh({{"a", major}, {"b", minor}}),
                      {AxisRole::Free, AxisRole::Free},
                      false});
  }
  return meshes;
}

} // namespace shardsmith::plan

namespace shardsmith {

AxisRole roleOfAxis(StringRef name) {
  if (name == "data")
    return AxisRole::Data;
  if (name == "fsdp")
    return AxisRole::FullySharded;
  if (name == "zero_shard")
    return AxisRole::ShardedStates;
  if (name == "tensor")
    return AxisRole::Tensor;
  return AxisRole::Free;
}

bool isNameForUsers(StringRef name) {
  AxisRole role = roleOfAxis(name);
  return role != AxisRole::Free && role != AxisRole::ShardedStates;
}

Expected<std::vector<FixedAxis>> parseFixedAxes(StringRef text) {
  auto bad = [&](const Twine &why) {
    return makeError(ExitCode::Usage,
                     ("\"" + text + "\": " + why +
                      "; expected axes such as data=2,tensor=2 with the "
                      "names data, fsdp and tensor")
                         .str());
  };
  std::vector<FixedAxis> axes;
  llvm::StringSet<> seen;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, size] = part.trim().split('=');
    FixedAxis axis{name.str(), 0};
    if (!isNameForUsers(name))
      return bad("\"" + name + "\" is no axis");
    if (size.getAsInteger(10, axis.size) || axis.size < 1 ||
        axis.size > (1 << 20))
      return bad("\"" + size + "\" is no size for axis \"" + name + "\"");
    if (!seen.insert(name).second)
      return bad("axis \"" + name + "\" occurs twice");
    axes.push_back(axis);
  }
  if (axes.size() > 2)
    return bad("the search handles one or two axes");
  return axes;
}

} // namespace shardsmith
