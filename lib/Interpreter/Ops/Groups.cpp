// SPDX-License-Identifier: Apache-2.0

#include "Groups.h"

#include "../Kernels/Movement.h"
#include "../Kernels/Reduction.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Where each member of a group is in `devices`. Empty if none of them is
/// there; a failure if some are and some are not.
FailureOr<SmallVector<size_t>>
placesOf(mlir::Operation *op, ArrayRef<int64_t> group, Devices devices) {
  SmallVector<size_t> places;
  SmallVector<int64_t> absent;
  for (int64_t device : group) {
    const auto *found = llvm::find(devices, device);
    if (found == devices.end())
      absent.push_back(device);
    else
      places.push_back(found - devices.begin());
  }
  if (!places.empty() && !absent.empty())
    return op->emitOpError() << "would never finish: device "
                             << devices[places.front()] << " waits for device "
                             << absent.front() << ", which took another branch";
  return places;
}

} // namespace

LogicalResult runGroups(mlir::Operation *op, const DeviceGroups &groups,
                        Devices devices, const DeviceTensors &operands,
                        size_t operand, DeviceTensors &results,
                        GroupFunction function) {
  SmallVector<Tensor> produced(devices.size());
  for (ArrayRef<int64_t> group : groups) {
    FailureOr<SmallVector<size_t>> places = placesOf(op, group, devices);
    if (failed(places))
      return failure();
    if (places->empty())
      continue;
    Tensors members;
    for (size_t place : *places)
      members.push_back(operands[place][operand]);
    for (auto [place, result] : zip_equal(*places, function(members)))
      produced[place] = result;
  }
  for (auto [place, result] : enumerate(produced)) {
    if (!result)
      return op->emitOpError() << "has no group with device " << devices[place];
    results[place].push_back(result);
  }
  return success();
}

Tensors allReduce(ArrayRef<Tensor> members, BinaryKind kind) {
  return Tensors(members.size(), reduceAcross(kind, members));
}

Tensors allGather(ArrayRef<Tensor> members, int64_t dim) {
  return Tensors(members.size(), concatenate(members, dim));
}

Tensors reduceScatter(ArrayRef<Tensor> members, BinaryKind kind, int64_t dim) {
  const Tensor whole = reduceAcross(kind, members);
  Tensors results;
  for (size_t member = 0; member < members.size(); ++member)
    results.push_back(equalPart(whole, dim, member, members.size()));
  return results;
}

Tensors allToAll(ArrayRef<Tensor> members, int64_t splitDim,
                 int64_t concatDim) {
  Tensors results;
  for (size_t receiver = 0; receiver < members.size(); ++receiver) {
    Tensors parts;
    for (const Tensor &sender : members)
      parts.push_back(equalPart(sender, splitDim, receiver, members.size()));
    results.push_back(concatenate(parts, concatDim));
  }
  return results;
}

LogicalResult permute(mlir::Operation *op,
                      ArrayRef<std::pair<int64_t, int64_t>> pairs,
                      Devices devices, const DeviceTensors &operands,
                      DeviceTensors &results) {
  for (auto [place, device] : enumerate(devices)) {
    const Tensor &own = operands[place].front();
    Tensor received = Tensor::zeros(own.type(), own.shape());
    for (auto [source, target] : pairs) {
      if (target != device)
        continue;
      const auto *sender = llvm::find(devices, source);
      if (sender == devices.end())
        return op->emitOpError()
               << "would never finish: device " << device
               << " waits for device " << source
               << ", which took another branch or does not exist";
      received = operands[sender - devices.begin()].front();
    }
    results[place].push_back(received);
  }
  return success();
}

} // namespace shardsmith::inline interpreter
