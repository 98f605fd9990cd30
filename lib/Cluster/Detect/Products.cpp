// SPDX-License-Identifier: Apache-2.0
//
// Product names of accelerators, as drivers, schedulers and labels write them.

#include "Words.h"

#include "../BuiltinDevices.h"
#include "shardsmith/Cluster/Detect.h"

#include <algorithm>

namespace shardsmith {
namespace {

/// A built-in device and words that its product names have, all of them.
struct Product {
  std::vector<std::string_view> words;
  const char *device;
  /// No other built-in device has these words in its name.
  bool isCertain = true;
};

/// The first row that fits is taken. Where several products differ in memory
/// alone the amount decides, see `byMemory`.
const std::vector<Product> &products() {
  static const std::vector<Product> rows = {
      {{"gb300"}, "gb300"},
      {{"gb200"}, "gb200"},
      {{"b300"}, "b300"},
      {{"b200"}, "b200"},
      {{"h200"}, "h200"},
      {{"h100", "pcie"}, "h100-pcie"},
      {{"h100", "nvl"}, ""},
      {{"h100"}, "h100"},
      {{"a100", "pcie", "40gb"}, ""},
      {{"a100", "pcie"}, "a100-pcie"},
      {{"a100", "40gb"}, "a100-40"},
      {{"a100", "80gb"}, "a100-80"},
      {{"a100"}, "a100-80", false},
      {{"v100", "16gb"}, "v100-16"},
      {{"v100", "32gb"}, "v100-32"},
      {{"v100"}, "v100-32", false},
      {{"l40s"}, "l40s"},
      {{"l4"}, "l4"},
      {{"t4"}, "t4"},
      {{"a10g"}, "a10"},
      {{"a10"}, "a10"},
      {{"3090"}, "rtx3090"},
      {{"rtx3090"}, "rtx3090"},
      {{"4090"}, "rtx4090"},
      {{"rtx4090"}, "rtx4090"},
      {{"rtx", "pro", "6000"}, "rtxpro6000"},
      {{"mi250x"}, "mi250x"},
      {{"mi300x"}, "mi300x"},
      {{"mi325x"}, "mi325x"},
      {{"mi355x"}, "mi355x"},
  };
  return rows;
}

/// Of the devices that a name leaves, the one with as much memory.
const char *byMemory(std::string_view family, int64_t mebibytes) {
  if (family == "a100")
    return mebibytes < 60000 ? "a100-40" : "a100-80";
  if (family == "v100")
    return mebibytes < 24000 ? "v100-16" : "v100-32";
  return nullptr;
}

} // namespace

std::string deviceOfProduct(std::string_view product,
                            std::optional<int64_t> mebibytes, bool &isCertain) {
  isCertain = true;
  std::string lower = detect::lowerCase(product);
  const cluster::BuiltinDevice *named = cluster::findBuiltinDevice(lower);
  if (named && lower == named->name)
    return lower;
  std::vector<std::string> has = detect::words(lower, " \t-_");
  auto hasWord = [&](std::string_view word) {
    return std::ranges::find(has, word) != has.end();
  };
  for (const Product &row : products()) {
    if (!std::ranges::all_of(row.words, hasWord))
      continue;
    if (!row.isCertain && mebibytes)
      return byMemory(row.words.front(), *mebibytes);
    isCertain = row.isCertain;
    return row.device;
  }
  return named ? named->name : "";
}

} // namespace shardsmith
