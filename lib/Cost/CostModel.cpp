// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/CostModel.h"
#include "Collectives.h"
#include "GroupLinks.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace shardsmith {
namespace {

/// Arithmetic that is not matrix products reaches this share of the peak:
/// no fused multiply-add, and functions such as exp cost many operations.
constexpr double elementwiseShare = 0.1;

std::string elementName(mlir::Type type) {
  std::string name;
  raw_string_ostream os(name);
  os << type;
  return name;
}

} // namespace

Nanoseconds toNanoseconds(double seconds) {
  double count = std::ceil(seconds * 1e9);
  if (!(count < 9e18))
    return Nanoseconds::saturated();
  return Nanoseconds(int64_t(std::max(count, 0.0)));
}

CostModel::CostModel(const Cluster &cluster, const Mesh &mesh)
    : cluster(cluster), mesh(mesh), devices(cluster.usableDevices()) {
  devices.resize(std::min<size_t>(devices.size(), mesh.getDeviceCount()));
  slowest = cluster.deviceType(devices.front());
  // Devices of a type follow each other; look at each type once.
  std::map<const DeviceType *, bool> seen;
  for (int64_t device : devices) {
    const DeviceType &type = cluster.deviceType(device);
    if (!seen.emplace(&type, true).second)
      continue;
    slowest.memory = std::min(slowest.memory - slowest.reserved,
                              type.memory - type.reserved) +
                     slowest.reserved;
    slowest.bytesPerSecond =
        std::min(slowest.bytesPerSecond * slowest.memoryEfficiency,
                 type.bytesPerSecond * type.memoryEfficiency) /
        slowest.memoryEfficiency;
    slowest.launch = std::max(slowest.launch, type.launch);
    for (auto &[name, flops] : slowest.flopsPerSecond) {
      auto other = type.flopsPerSecond.find(name);
      if (other != type.flopsPerSecond.end())
        flops = std::min(flops * slowest.matmulEfficiency,
                         other->second * type.matmulEfficiency) /
                slowest.matmulEfficiency;
    }
  }
}

/// Halves stand in for each other; everything else falls back to f32, and
/// without that to an eighth of the largest entry.
double CostModel::peak(mlir::Type elementType) const {
  const auto &peaks = slowest.flopsPerSecond;
  std::string name = elementName(elementType);
  for (const std::string &candidate :
       {name, name == "f16" ? std::string("bf16") : std::string("f16")}) {
    if (candidate != name && name != "bf16" && name != "f16")
      continue;
    auto found = peaks.find(candidate);
    if (found != peaks.end() && found->second > 0)
      return found->second;
  }
  auto single = peaks.find("f32");
  if (single != peaks.end() && single->second > 0)
    return single->second;
  double largest = 0;
  for (const auto &[unused, flops] : peaks)
    largest = std::max(largest, flops);
  return largest / 8;
}

Nanoseconds CostModel::compute(const OpWork &work,
                               mlir::Type elementType) const {
  if (work.kind == OpWork::Kind::Free)
    return Nanoseconds(0);
  double share = work.kind == OpWork::Kind::Matmul ? slowest.matmulEfficiency
                                                   : elementwiseShare;
  double arithmetic = double(work.flops.count()) / (peak(elementType) * share);
  double traffic = double((work.read + work.written).count()) /
                   (slowest.bytesPerSecond * slowest.memoryEfficiency);
  Nanoseconds time = toNanoseconds(std::max(arithmetic, traffic));
  // Fused neighbours share a launch: it is the write that makes a kernel.
  if (work.written > Bytes(0))
    time += slowest.launch;
  return time;
}

Nanoseconds CostModel::copy(Bytes bytes) const {
  return toNanoseconds(2.0 * double(bytes.count()) /
                       (slowest.bytesPerSecond * slowest.memoryEfficiency)) +
         slowest.launch;
}

Nanoseconds CostModel::collective(CollectiveKind kind, ArrayRef<MeshAxis> axes,
                                  Bytes input) const {
  int64_t members = mesh.countShards(axes);
  if (members <= 1)
    return Nanoseconds(0);
  const GroupLink &link = linkOf(axes);
  double bytes = double(input.count());
  // Curves count the whole tensor.
  double whole =
      kind == CollectiveKind::AllGather ? bytes * double(members) : bytes;
  std::optional<double> measured = cluster.measuredSeconds(
      stringifyCollectiveKind(kind).str(), link.scope, members, whole);
  return toNanoseconds(
      measured ? *measured
               : cost::collectiveSeconds(kind, members, bytes, link));
}

Nanoseconds CostModel::step(const ReshardStep &step,
                            int64_t elementBytes) const {
  using Kind = ReshardStep::Kind;
  Bytes input = getTensorBytes(step.inputShape, elementBytes);
  switch (step.kind) {
  case Kind::AllSlice:
    return copy(Bytes(input.count() / mesh.countShards(step.axes)));
  case Kind::MakePartial:
    return copy(input);
  case Kind::CollectivePermute: {
    // Any two devices of the mesh may be partners.
    SmallVector<MeshAxis> all;
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
      all.push_back(axis);
    return collective(CollectiveKind::Permute, all, input);
  }
  case Kind::AllToAll:
    return collective(CollectiveKind::AllToAll, step.axes, input);
  case Kind::AllGather:
    return collective(CollectiveKind::AllGather, step.axes, input);
  case Kind::AllReduce:
    return collective(CollectiveKind::AllReduce, step.axes, input);
  case Kind::ReduceScatter:
    return collective(CollectiveKind::ReduceScatter, step.axes, input);
  }
  return Nanoseconds::saturated();
}

Nanoseconds CostModel::reshard(ArrayRef<ReshardStep> steps,
                               int64_t elementBytes) const {
  Nanoseconds total;
  for (const ReshardStep &each : steps)
    total += step(each, elementBytes);
  return total;
}

Bytes CostModel::memoryLimit(double margin) const {
  Bytes usable = slowest.memory - slowest.reserved;
  auto kept = Bytes(int64_t(double(slowest.memory.count()) * margin));
  return std::max(usable - kept, Bytes(0));
}

const GroupLink &CostModel::linkOf(ArrayRef<MeshAxis> axes) const {
  std::vector<MeshAxis> key(axes.begin(), axes.end());
  auto [entry, isNew] = links.try_emplace(key);
  if (!isNew)
    return entry->second;
  // Devices that agree on all other axes form a group.
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;
  for (size_t rank = 0; rank < devices.size(); ++rank) {
    std::vector<int64_t> others;
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
      if (!is_contained(axes, axis))
        others.push_back(mesh.getCoordinate(rank, axis));
    groups[others].push_back(devices[rank]);
  }
  std::vector<std::vector<int64_t>> lists;
  for (auto &[unused, members] : groups)
    lists.push_back(std::move(members));
  entry->second = cost::findGroupLink(cluster, lists);
  return entry->second;
}

} // namespace shardsmith
