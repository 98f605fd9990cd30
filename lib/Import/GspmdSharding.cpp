// SPDX-License-Identifier: Apache-2.0

#include "GspmdSharding.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardsmith {
namespace {

class Parser {
public:
  Parser(StringRef text, std::string &error)
      : whole(text), rest(text.trim()), error(error) {}

  std::optional<GspmdSharding> parse() {
    if (!rest.consume_front("{") || !rest.consume_back("}"))
      return fail("is not in braces");
    rest = rest.trim();
    if (rest == "replicated") {
      GspmdSharding sharding;
      sharding.isReplicated = true;
      return sharding;
    }
    if (rest.starts_with("{"))
      return unsupported("is a tuple of shardings");
    if (rest.starts_with("maximal") || rest == "manual" || rest == "unreduced")
      return unsupported("has no equivalent in a plan of whole tensors");
    return parseTiles();
  }

private:
  std::optional<GspmdSharding> parseTiles() {
    SmallVector<int64_t> tiles, devices, order;
    if (!rest.consume_front("devices=[") || !parseNumbers("]", tiles))
      return fail("has no tile sizes: devices=[…]");
    GspmdSharding sharding;
    for (int64_t size : tiles) {
      std::optional<int64_t> product =
          checkedMultiply(sharding.deviceCount, size);
      if (size < 1 || !product)
        return fail("has tile sizes that make no device count");
      sharding.deviceCount = *product;
    }
    if (!rest.consume_front("<="))
      return parseDeviceList(tiles, sharding);
    if (!rest.consume_front("[") || !parseNumbers("]", devices))
      return fail("has no shape of devices: <=[…]");
    if (rest.consume_front("T(")) {
      if (!parseNumbers(")", order))
        return fail("has a malformed transposition");
    } else {
      order = llvm::to_vector(llvm::seq<int64_t>(0, devices.size()));
    }
    if (!isPermutation(order, devices.size()))
      return fail("transposes dimensions that the devices do not have");
    return deal(tiles, devices, order, sharding);
  }

  /// A list of all devices; only the order 0, 1, 2 … is a mesh for sure.
  std::optional<GspmdSharding> parseDeviceList(ArrayRef<int64_t> tiles,
                                               GspmdSharding &sharding) {
    StringRef list =
        rest.take_while([](char c) { return llvm::isDigit(c) || c == ','; });
    rest = rest.drop_front(list.size());
    int64_t expected = 0;
    for (StringRef item : llvm::split(list, ',')) {
      int64_t device;
      if (item.getAsInteger(10, device))
        return fail("has a malformed list of devices");
      if (device != expected++)
        return unsupported("lists devices in another order than 0, 1, 2, …");
    }
    if (expected != sharding.deviceCount)
      return fail("lists another number of devices than it has tiles");
    return deal(tiles, {sharding.deviceCount}, {0}, sharding);
  }

  /// Deals the digits of the device number, in transposed order, to the tile
  /// dimensions, each of which takes as many as make up its size.
  std::optional<GspmdSharding> deal(ArrayRef<int64_t> tiles,
                                    ArrayRef<int64_t> devices,
                                    ArrayRef<int64_t> order,
                                    GspmdSharding &sharding) {
    SmallVector<DeviceDigits> axes(devices.size());
    int64_t place = 1;
    for (size_t i = devices.size(); i-- > 0;) {
      std::optional<int64_t> next = checkedMultiply(place, devices[i]);
      if (devices[i] < 1 || !next)
        return fail("has a shape of devices that makes no device count");
      axes[i] = {place, *next};
      place = *next;
    }
    if (place != sharding.deviceCount)
      return fail("has another number of devices than of tiles");

    size_t trailing = parseTrailing();
    if (!error.empty())
      return std::nullopt;
    if (trailing > tiles.size())
      return fail("has more subgroups than tile dimensions");
    auto next = order.begin();
    for (int64_t size : tiles.drop_back(trailing)) {
      auto &taken = sharding.dimensions.emplace_back();
      while (size > 1) {
        while (axes[*next].low == axes[*next].high)
          ++next;
        DeviceDigits &axis = axes[*next];
        int64_t available = axis.high / axis.low;
        int64_t part = std::min(size, available);
        if (size % part != 0 || available % part != 0)
          return unsupported("splits a dimension across parts of devices");
        taken.push_back({axis.high / part, axis.high});
        axis.high /= part;
        size /= part;
      }
    }
    return sharding;
  }

  /// How many trailing tile dimensions are no dimensions of the tensor.
  size_t parseTrailing() {
    rest = rest.trim();
    if (rest.empty())
      return 0;
    if (rest == "last_tile_dim_replicate")
      return 1;
    if (!rest.consume_front("last_tile_dims={") || !rest.consume_back("}")) {
      fail("ends in something unknown");
      return 0;
    }
    size_t count = 0;
    for (StringRef kind : llvm::split(rest, ',')) {
      ++count;
      if (kind.trim() != "replicated")
        unsupported("has devices that are not replicas of each other");
    }
    return count;
  }

  bool parseNumbers(StringRef end, SmallVectorImpl<int64_t> &numbers) {
    auto [list, after] = rest.split(end);
    if (after.data() == nullptr || !rest.contains(end))
      return false;
    rest = after;
    for (StringRef item : llvm::split(list, ','))
      if (item.trim().getAsInteger(10, numbers.emplace_back()))
        return false;
    return true;
  }

  static bool isPermutation(ArrayRef<int64_t> order, size_t size) {
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    return llvm::equal(sorted, llvm::seq<int64_t>(0, size));
  }

  std::nullopt_t fail(StringRef what) {
    error = ("sharding '" + whole + "' " + what).str();
    return std::nullopt;
  }
  std::nullopt_t unsupported(StringRef what) {
    error = ("unsupported sharding '" + whole + "': it " + what).str();
    return std::nullopt;
  }

  StringRef whole, rest;
  std::string &error;
};

} // namespace

std::optional<GspmdSharding> parseGspmdSharding(StringRef text,
                                                std::string &error) {
  error.clear();
  return Parser(text, error).parse();
}

} // namespace shardsmith
