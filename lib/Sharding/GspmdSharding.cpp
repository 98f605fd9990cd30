// SPDX-License-Identifier: Apache-2.0
//
// Every tile assignment, iota or explicit, is first written out as the list of
// devices in tile order. Axes are then read off the list, from the minor end.
//
//   tiles [4, 2], devices 0 4 1 5 2 6 3 7
//     dimension 1: 0 4        an axis of size 2 and stride 4
//     dimension 0: 0 1 2 3    an axis of size 4 and stride 1

#include "shardsmith/Sharding/GspmdSharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace shardsmith {
namespace {

/// More devices than any cluster has; keeps lists in memory small.
constexpr int64_t largestDeviceCount = 1 << 20;

class Parser {
public:
  explicit Parser(StringRef text) : text(text), rest(text) {}

  OrError<std::vector<GspmdSharding>> parse() {
    std::vector<GspmdSharding> shardings;
    if (!expect("{"))
      return error;
    if (peek("{")) {
      do {
        if (!expect("{") || !parseBody(shardings.emplace_back()))
          return error;
      } while (accept(","));
      if (!expect("}"))
        return error;
    } else if (!parseBody(shardings.emplace_back())) {
      return error;
    }
    if (!rest.trim().empty())
      fail("end of text");
    if (!error.empty())
      return error;
    return shardings;
  }

private:
  //===--------------------------------------------------------------------===//
  // Words and numbers
  //===--------------------------------------------------------------------===//

  bool fail(const Twine &expected) {
    if (error.empty())
      error = ("expected " + expected + " at position " +
               Twine(text.size() - rest.size()) + " of sharding '" + text + "'")
                  .str();
    return false;
  }
  bool reject(const Twine &problem) {
    if (error.empty())
      error = ("sharding '" + text + "' " + problem).str();
    return false;
  }
  bool peek(StringRef word) {
    rest = rest.ltrim();
    return rest.starts_with(word);
  }
  bool accept(StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }
  bool expect(StringRef word) { return accept(word) || fail("'" + word + "'"); }
  bool parseNumber(int64_t &number) {
    rest = rest.ltrim();
    StringRef digits = rest.take_while([](char c) { return isDigit(c); });
    if (digits.empty() || digits.getAsInteger(10, number))
      return fail("a number");
    rest = rest.drop_front(digits.size());
    return true;
  }
  bool parseNumbers(std::vector<int64_t> &numbers) {
    do {
      if (!parseNumber(numbers.emplace_back()))
        return false;
    } while (accept(","));
    return true;
  }
  /// `[2,1,4]`, positive sizes whose product is a device count.
  bool parseSizes(std::vector<int64_t> &sizes, int64_t &product) {
    if (!expect("[") || !parseNumbers(sizes) || !expect("]"))
      return false;
    product = 1;
    for (int64_t size : sizes)
      if (size < 1 || size > largestDeviceCount ||
          (product *= size) > largestDeviceCount)
        return reject("has sizes that are zero or too large");
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Shardings, after their opening brace
  //===--------------------------------------------------------------------===//

  bool parseBody(GspmdSharding &sharding) {
    if (accept("replicated"))
      return expect("}");
    if (accept("manual")) {
      sharding.kind = GspmdSharding::Kind::Manual;
      return expect("}");
    }
    if (accept("unreduced")) {
      sharding.isUnreducedEverywhere = true;
      return expect("}");
    }
    if (accept("maximal")) {
      sharding.kind = GspmdSharding::Kind::Maximal;
      return expect("device=") && parseNumber(sharding.device) && expect("}");
    }
    if (!accept("devices="))
      return fail("replicated, maximal, manual, unreduced or devices=");
    return parseTiles(sharding);
  }

  bool parseTiles(GspmdSharding &sharding) {
    std::vector<int64_t> tiles, devices;
    if (!parseSizes(tiles, sharding.deviceCount) ||
        !parseDevices(sharding.deviceCount, devices))
      return false;

    std::vector<std::vector<DeviceAxis>> axes;
    if (!readAxes(tiles, devices, axes))
      return false;

    // Trailing tile dimensions may be groups of another meaning.
    std::vector<StringRef> groups;
    if (accept("last_tile_dim_replicate")) {
      groups.push_back("replicated");
    } else if (accept("last_tile_dims=")) {
      if (!expect("{"))
        return false;
      do {
        if (!parseGroupKind(groups.emplace_back()))
          return false;
      } while (accept(","));
      if (!expect("}"))
        return false;
    }
    if (groups.size() > axes.size())
      return reject("has fewer tile dimensions than groups");
    for (auto [axesOfGroup, kind] :
         zip_equal(ArrayRef(axes).take_back(groups.size()), groups)) {
      if (kind == "unreduced")
        append_range(sharding.unreduced, axesOfGroup);
      if (kind == "manual")
        append_range(sharding.manual, axesOfGroup);
    }
    axes.resize(axes.size() - groups.size());
    sharding.dims = std::move(axes);
    return expect("}");
  }

  bool parseGroupKind(StringRef &kind) {
    for (StringRef known : {"replicated", "manual", "unreduced"})
      if (accept(known)) {
        kind = known;
        return true;
      }
    return fail("replicated, manual or unreduced");
  }

  /// `<=[2,4]T(1,0)` or a list of numbers.
  bool parseDevices(int64_t count, std::vector<int64_t> &devices) {
    if (!accept("<=")) {
      if (!parseNumbers(devices))
        return false;
      if (static_cast<int64_t>(devices.size()) != count)
        return reject("has " + Twine(count) + " tiles but " +
                      Twine(devices.size()) + " devices");
      std::set<int64_t> numbers(devices.begin(), devices.end());
      if (static_cast<int64_t>(numbers.size()) != count ||
          *numbers.rbegin() != count - 1)
        return reject("must list every device number below " + Twine(count) +
                      " once");
      return true;
    }
    std::vector<int64_t> shape, order;
    int64_t product;
    if (!parseSizes(shape, product))
      return false;
    if (product != count)
      return reject("has " + Twine(count) + " tiles but " + Twine(product) +
                    " devices");
    for (size_t dim = 0; dim < shape.size(); ++dim)
      order.push_back(dim);
    if (accept("T(")) {
      std::vector<int64_t> permutation;
      if (!parseNumbers(permutation) || !expect(")"))
        return false;
      if (std::multiset<int64_t>(permutation.begin(), permutation.end()) !=
          std::multiset<int64_t>(order.begin(), order.end()))
        return reject("transposes by what is no permutation");
      order = permutation;
    }
    devices = transposedIota(shape, order);
    return true;
  }

  static std::vector<int64_t> transposedIota(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> order) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
    std::vector<int64_t> devices{0};
    for (int64_t dim : order) {
      std::vector<int64_t> longer;
      for (int64_t device : devices)
        for (int64_t i = 0; i < shape[dim]; ++i)
          longer.push_back(device + i * strides[dim]);
      devices = std::move(longer);
    }
    return devices;
  }

  /// Reads axes off the list of devices, from the minor end: what continues
  /// with an equal distance is one axis.
  bool readAxes(ArrayRef<int64_t> tiles, ArrayRef<int64_t> devices,
                std::vector<std::vector<DeviceAxis>> &axes) {
    axes.resize(tiles.size());
    int64_t minor = 1;
    for (size_t dim = tiles.size(); dim-- > 0;) {
      for (int64_t rest = tiles[dim]; rest > 1;) {
        int64_t stride = devices[minor], size = 2;
        while (size < rest && devices[size * minor] == size * stride)
          ++size;
        while (rest % size != 0)
          --size;
        if (size == 1)
          return reject(noMesh);
        axes[dim].insert(axes[dim].begin(), {stride, size});
        minor *= size;
        rest /= size;
      }
    }
    if (ArrayRef(devicesOf(axes)) != devices)
      return reject(noMesh);
    return true;
  }

  /// The devices in tile order, if axes describe them.
  static std::vector<int64_t>
  devicesOf(const std::vector<std::vector<DeviceAxis>> &axes) {
    std::vector<int64_t> devices{0};
    for (const std::vector<DeviceAxis> &ofDim : axes)
      for (DeviceAxis axis : ofDim) {
        std::vector<int64_t> longer;
        for (int64_t device : devices)
          for (int64_t i = 0; i < axis.size; ++i)
            longer.push_back(device + i * axis.stride);
        devices = std::move(longer);
      }
    return devices;
  }

  static constexpr const char *noMesh =
      "orders devices in a way that no mesh of axes does";

  StringRef text, rest;
  std::string error;
};

/// Calls `visit` for every axis of a sharding.
template <typename Visit>
void forEachAxis(const GspmdSharding &sharding, Visit visit) {
  for (const std::vector<DeviceAxis> &ofDim : sharding.dims)
    for (DeviceAxis axis : ofDim)
      visit(axis);
  for (const auto *axes : {&sharding.unreduced, &sharding.manual})
    for (DeviceAxis axis : *axes)
      visit(axis);
}

int64_t getStride(const Mesh &mesh, MeshAxis axis) {
  int64_t stride = 1;
  for (MeshAxis minor = axis + 1; minor < mesh.getAxisCount(); ++minor)
    stride *= mesh.getSize(minor);
  return stride;
}

/// The mesh axes that make up an axis, major to minor.
bool appendParts(const Mesh &mesh, DeviceAxis wanted, AxisList &axes) {
  int64_t covered = 1;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis) {
    int64_t stride = getStride(mesh, axis);
    if (stride < wanted.stride || stride >= wanted.stride * wanted.size)
      continue;
    axes.push_back(axis);
    covered *= mesh.getSize(axis);
  }
  return covered == wanted.size;
}

} // namespace

OrError<std::vector<GspmdSharding>> parseGspmdSharding(StringRef text) {
  return Parser(text).parse();
}

// The strides of a mesh's axes and its device count cut the device number into
// digits. The common mesh has the cuts of all, which must divide each other.
OrError<Mesh> getCommonMesh(ArrayRef<GspmdSharding> shardings) {
  std::set<int64_t> cuts{1};
  int64_t devices = 1;
  for (const GspmdSharding &sharding : shardings) {
    devices = std::max(devices, sharding.deviceCount);
    forEachAxis(sharding, [&](DeviceAxis axis) {
      cuts.insert(axis.stride);
      cuts.insert(axis.stride * axis.size);
    });
  }
  cuts.insert(devices);
  SmallVector<Mesh::Axis> axes;
  SmallVector<int64_t> falling(cuts.rbegin(), cuts.rend());
  for (size_t i = 0; i + 1 < falling.size(); ++i) {
    if (falling[i] % falling[i + 1] != 0)
      return "shardings divide " + std::to_string(devices) +
             " devices in ways that no common mesh has: groups of " +
             std::to_string(falling[i]) + " and of " +
             std::to_string(falling[i + 1]);
    axes.push_back({"axis_" + std::to_string(i), falling[i] / falling[i + 1]});
  }
  return Mesh(axes);
}

OrError<Layout> toLayout(const GspmdSharding &sharding, const Mesh &mesh,
                         unsigned rank) {
  if (sharding.kind != GspmdSharding::Kind::Tiled || !sharding.manual.empty())
    return std::string("a maximal or manual sharding has no layout");
  Layout layout = Layout::replicated(rank);
  if (!sharding.dims.empty() && sharding.dims.size() != rank)
    return "a sharding of " + std::to_string(sharding.dims.size()) +
           " dimensions does not fit a tensor of rank " + std::to_string(rank);
  bool isOfMesh = true;
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
    for (DeviceAxis axis : sharding.dims[dim])
      isOfMesh &= appendParts(mesh, axis, layout.dims[dim]);
  AxisList partial;
  for (DeviceAxis axis : sharding.unreduced)
    isOfMesh &= appendParts(mesh, axis, partial);
  if (sharding.isUnreducedEverywhere)
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
      partial.push_back(axis);
  if (!isOfMesh)
    return std::string("the mesh was not made for this sharding");
  layout.addPartial(partial, ReductionKind::Sum);
  return layout;
}

} // namespace shardsmith
