// SPDX-License-Identifier: Apache-2.0
//
// A tensor spread over a simulated mesh: one array per device. Reshard steps
// are carried out element by element, from their definition, so that tests can
// compare what devices hold with what a layout says they hold.

#ifndef SHARDSMITH_TEST_UNIT_SHARDING_SIMULATEDTENSOR_H
#define SHARDSMITH_TEST_UNIT_SHARDING_SIMULATEDTENSOR_H

#include "shardsmith/Sharding/Reshard.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace shardsmith {

using Shape = llvm::SmallVector<int64_t>;
using Index = llvm::SmallVector<int64_t>;

/// A dense row-major array of integers.
struct Array {
  Shape shape;
  std::vector<int64_t> values;

  explicit Array(llvm::ArrayRef<int64_t> shape, int64_t fill = 0)
      : shape(shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    values.assign(count, fill);
  }
  int64_t &at(llvm::ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [position, size] : llvm::zip_equal(index, shape)) {
      assert(position >= 0 && position < size);
      offset = offset * size + position;
    }
    return values[offset];
  }
};

inline void forEachIndex(llvm::ArrayRef<int64_t> shape,
                         const std::function<void(const Index &)> &body) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  Index index(shape.size(), 0);
  while (true) {
    body(index);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

class SimulatedTensor {
public:
  /// Spreads `global` as `layout` says. Padding is random; the shares of
  /// partial values are arbitrary.
  SimulatedTensor(const Mesh &mesh, const Array &global, const Layout &layout,
                  std::mt19937 &random)
      : mesh(mesh), global(global), random(random) {
    for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
      devices.push_back(makeLocal(layout, device));
  }

  void apply(const ReshardStep &step) {
    std::vector<Array> after;
    for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
      after.push_back(applyOn(step, device));
    devices = std::move(after);
  }

  /// Empty if the devices hold the global tensor as `layout` says.
  std::string check(const Layout &layout) {
    Shape local = getLocalShape(mesh, global.shape, layout);
    for (int64_t device = 0; device < mesh.getDeviceCount(); ++device) {
      if (devices[device].shape != local)
        return "device " + std::to_string(device) + " has another shape";
      std::string error;
      forEachIndex(local, [&](const Index &index) {
        auto position = globalIndex(layout, device, local, index);
        if (!position)
          return;
        int64_t combined = neutral(layout.partialKind);
        for (int64_t member : group(device, layout.partial))
          combined =
              combine(layout.partialKind, combined, devices[member].at(index));
        if (combined != global.at(*position))
          error = "device " + std::to_string(device) + " has a wrong element";
      });
      if (!error.empty())
        return error;
    }
    return "";
  }

private:
  static int64_t neutral(ReductionKind kind) {
    assert(kind == ReductionKind::Sum || kind == ReductionKind::Max);
    return kind == ReductionKind::Sum ? 0 : std::numeric_limits<int64_t>::min();
  }
  static int64_t combine(ReductionKind kind, int64_t a, int64_t b) {
    return kind == ReductionKind::Sum
               ? static_cast<int64_t>(static_cast<uint64_t>(a) +
                                      static_cast<uint64_t>(b))
               : std::max(a, b);
  }
  int64_t garbage() { return static_cast<int64_t>(random()) * 1000003; }

  /// Devices that differ from `device` only along `axes`, by position.
  std::vector<int64_t> group(int64_t device, llvm::ArrayRef<MeshAxis> axes) {
    std::vector<int64_t> members(mesh.countShards(axes));
    for (int64_t other = 0; other < mesh.getDeviceCount(); ++other) {
      bool isMember = true;
      for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
        isMember &=
            llvm::is_contained(axes, axis) ||
            mesh.getCoordinate(other, axis) == mesh.getCoordinate(device, axis);
      if (isMember)
        members[mesh.getShardIndex(other, axes)] = other;
    }
    return members;
  }

  /// Where an element of a device's array is in the whole; none for padding.
  std::optional<Index> globalIndex(const Layout &layout, int64_t device,
                                   const Shape &local, const Index &index) {
    Index position = index;
    for (unsigned dim = 0; dim < index.size(); ++dim) {
      position[dim] +=
          mesh.getShardIndex(device, layout.dims[dim]) * local[dim];
      if (position[dim] >= global.shape[dim])
        return std::nullopt;
    }
    return position;
  }

  Array makeLocal(const Layout &layout, int64_t device) {
    Shape local = getLocalShape(mesh, global.shape, layout);
    Array array(local);
    std::vector<int64_t> members = group(device, layout.partial);
    forEachIndex(local, [&](const Index &index) {
      auto position = globalIndex(layout, device, local, index);
      if (!position) {
        array.at(index) = garbage();
        return;
      }
      bool isMax = layout.partialKind == ReductionKind::Max;
      int64_t value = global.at(*position), rest = value;
      for (int64_t member : members) {
        int64_t share = member * 7 + value % 5 - 3;
        if (isMax)
          share = std::min(share, value);
        if (member == members.back())
          share = isMax ? value : rest;
        rest -= share;
        if (member == device)
          array.at(index) = share;
      }
    });
    return array;
  }

  Array resized(const Array &array, llvm::ArrayRef<int64_t> shape) {
    Array source = array, result(shape);
    forEachIndex(shape, [&](const Index &index) {
      bool isInside = true;
      for (auto [position, size] : llvm::zip_equal(index, source.shape))
        isInside &= position < size;
      result.at(index) = isInside ? source.at(index) : garbage();
    });
    return result;
  }

  /// Part `part` of `count` equal ones along `dim`.
  Array partOf(Array array, unsigned dim, int64_t part, int64_t count) {
    assert(array.shape[dim] % count == 0);
    Shape shape = array.shape;
    shape[dim] /= count;
    Array result(shape);
    forEachIndex(shape, [&](const Index &index) {
      Index from = index;
      from[dim] += part * shape[dim];
      result.at(index) = array.at(from);
    });
    return result;
  }

  Array join(std::vector<Array> parts, unsigned dim) {
    Shape shape = parts.front().shape;
    int64_t each = shape[dim];
    shape[dim] *= parts.size();
    Array result(shape);
    forEachIndex(shape, [&](const Index &index) {
      Index from = index;
      from[dim] %= each;
      result.at(index) = parts[index[dim] / each].at(from);
    });
    return result;
  }

  Array reduced(const ReshardStep &step, int64_t device) {
    Array result(step.inputShape, neutral(step.reduction));
    for (int64_t member : group(device, step.axes)) {
      Array part = resized(devices[member], step.inputShape);
      for (auto [sum, value] : llvm::zip_equal(result.values, part.values))
        sum = combine(step.reduction, sum, value);
    }
    return result;
  }

  Array applyOn(const ReshardStep &step, int64_t device) {
    using Kind = ReshardStep::Kind;
    Shape after = getLocalShape(mesh, global.shape, step.after);
    int64_t count = mesh.countShards(step.axes);
    int64_t mine = mesh.getShardIndex(device, step.axes);
    std::vector<int64_t> members = group(device, step.axes);
    switch (step.kind) {
    case Kind::AllSlice: {
      Shape padded = step.inputShape;
      padded[step.dim] = after[step.dim] * count;
      return partOf(resized(devices[device], padded), step.dim, mine, count);
    }
    case Kind::CollectivePermute:
      for (auto [source, target] :
           getPermutePairs(mesh, step.before, step.after))
        if (target == device)
          return devices[source];
      return Array(Shape{0});
    case Kind::AllToAll: {
      std::vector<Array> parts;
      for (int64_t member : members)
        parts.push_back(partOf(resized(devices[member], step.inputShape),
                               step.targetDim, mine, count));
      return resized(join(parts, step.dim), after);
    }
    case Kind::AllGather: {
      std::vector<Array> parts;
      for (int64_t member : members)
        parts.push_back(devices[member]);
      return resized(join(parts, step.dim), after);
    }
    case Kind::AllReduce:
      return reduced(step, device);
    case Kind::ReduceScatter:
      return partOf(reduced(step, device), step.dim, mine, count);
    case Kind::MakePartial:
      return mine == 0 ? devices[device]
                       : Array(after, neutral(step.reduction));
    }
    return Array(Shape{0});
  }

  const Mesh &mesh;
  Array global;
  std::mt19937 &random;
  std::vector<Array> devices;
};

} // namespace shardsmith

#endif // SHARDSMITH_TEST_UNIT_SHARDING_SIMULATEDTENSOR_H
