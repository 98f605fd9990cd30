// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Programs/MeshTimes.h"

#include "../Scale.h"
#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Workload/ElementTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace shardsmith {
namespace {

CollectiveOp opOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return CollectiveOp::AllReduce;
  case CollectiveKind::AllGather:
    return CollectiveOp::AllGather;
  case CollectiveKind::ReduceScatter:
    return CollectiveOp::ReduceScatter;
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllRows:
    return CollectiveOp::AllToAll;
  case CollectiveKind::Permute:
  case CollectiveKind::Send:
    return CollectiveOp::SendReceive;
  }
  return CollectiveOp::SendReceive;
}

Nanoseconds productTime(const KernelTimes &kernels,
                        const MatrixProduct &product,
                        workload::ElementType type) {
  if (!product.groups)
    return kernels.matmul(product.batch, product.rows, product.columns,
                          product.depth, type);
  int64_t rows = checkedMultiply(product.batch, product.rows)
                     .value_or(std::numeric_limits<int64_t>::max());
  return scaled(kernels.groupedMatmul(*product.groups, rows, product.columns,
                                      product.depth, type),
                kernels.profile().expertImbalance);
}

Nanoseconds kernelTime(const KernelTimes &kernels, const OpWork &work,
                       mlir::Type elementType) {
  if (work.kind == OpWork::Kind::Free)
    return Nanoseconds(0);
  if (work.product)
    return productTime(kernels, *work.product,
                       workload::elementTypeOf(elementType));
  Bytes moved =
      scaled(work.read + work.written, kernels.profile().elementwiseTraffic);
  // Fused neighbours share a kernel: it is the write that makes one.
  return work.written > Bytes(0) ? kernels.memoryBound(moved)
                                 : kernels.traffic(moved);
}

} // namespace

MeshTimes::MeshTimes(const ClusterTopology &topology,
                     const StackProfile &profile, const Mesh &mesh)
    : topology(topology), mesh(mesh), collectives(topology.cluster(), profile) {
  std::vector<const DeviceType *> seen;
  for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
    const DeviceType &type = topology.deviceType(pool);
    if (topology.pools()[pool].begin >= mesh.getDeviceCount() ||
        is_contained(seen, &type))
      continue;
    seen.push_back(&type);
    kernels.emplace_back(type, profile);
  }
}

Nanoseconds MeshTimes::kernel(const OpWork &work,
                              mlir::Type elementType) const {
  Nanoseconds slowest;
  for (const KernelTimes &each : kernels)
    slowest = std::max(slowest, kernelTime(each, work, elementType));
  return slowest;
}

Nanoseconds MeshTimes::copy(Bytes bytes) const {
  OpWork work;
  work.read = work.written = bytes;
  return kernel(work, {});
}

Nanoseconds MeshTimes::collective(CollectiveKind kind, ArrayRef<MeshAxis> axes,
                                  Bytes input) const {
  int64_t members = mesh.countShards(axes);
  if (members <= 1)
    return Nanoseconds(0);
  Bytes whole = kind == CollectiveKind::AllGather ? input * members : input;
  return collectives.time(opOf(kind), path(axes), whole).time;
}

Nanoseconds MeshTimes::permute(ArrayRef<MeshAxis> axes, Bytes message) const {
  GroupPath group = path(axes);
  if (group.levels.empty())
    return Nanoseconds(0);
  // A single sender has interfaces for itself that all share when all send.
  PathLevel &outermost = group.levels.back();
  outermost.pairBytesPerSecond =
      std::min(outermost.pairBytesPerSecond, outermost.bytesPerSecond);
  return collectives.time(CollectiveOp::SendReceive, group, message).time;
}

Nanoseconds MeshTimes::step(const ReshardStep &step,
                            int64_t elementBytes) const {
  using Kind = ReshardStep::Kind;
  Bytes input = getTensorBytes(step.inputShape, elementBytes);
  switch (step.kind) {
  case Kind::AllSlice:
    return copy(Bytes(input.count() / mesh.countShards(step.axes)));
  case Kind::MakePartial:
    return copy(input);
  case Kind::CollectivePermute:
    return permute(step.axes, input);
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

Nanoseconds MeshTimes::reshard(ArrayRef<ReshardStep> steps,
                               int64_t elementBytes) const {
  Nanoseconds total;
  for (const ReshardStep &each : steps)
    total += step(each, elementBytes);
  return total;
}

Bytes MeshTimes::memoryLimit(double margin) const {
  Bytes least = Bytes::saturated();
  for (const KernelTimes &each : kernels)
    least = std::min(least, usableMemory(each.device(), margin));
  return least;
}

const GroupPath &MeshTimes::path(ArrayRef<MeshAxis> axes) const {
  std::vector<MeshAxis> sorted(axes.begin(), axes.end());
  llvm::sort(sorted);
  auto [entry, isNew] = paths.try_emplace(sorted);
  if (isNew)
    entry->second = findPath(sorted);
  return entry->second;
}

/// Neighbouring axes make one progression of ranks; progressions nest.
GroupPath MeshTimes::findPath(ArrayRef<MeshAxis> axes) const {
  int64_t devices = mesh.getDeviceCount();
  GroupPath result;
  int64_t stride = 1, firstStride = 1, members = 1;
  auto endProgression = [&] {
    if (members > 1)
      result = nested(result, topology.path(firstStride, members, 0, devices));
    members = 1;
  };
  for (MeshAxis axis : reverse(seq(mesh.getAxisCount()))) {
    int64_t size = mesh.getSize(axis);
    if (is_contained(axes, axis)) {
      if (members == 1)
        firstStride = stride;
      members *= size;
    } else if (size > 1) {
      endProgression();
    }
    stride *= size;
  }
  endProgression();
  return result;
}

} // namespace shardsmith
