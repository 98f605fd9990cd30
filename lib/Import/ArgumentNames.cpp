// SPDX-License-Identifier: Apache-2.0

#include "ArgumentNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool isIdentifier(StringRef word) {
  return !word.empty() && !llvm::isDigit(word.front()) &&
         llvm::all_of(word,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace

std::string simplifyKeyPath(StringRef path) {
  std::string name;
  while (!path.empty()) {
    StringRef key;
    if (path.starts_with("['") && path.contains("']")) {
      std::tie(key, path) = path.drop_front(2).split("']");
      if (!isIdentifier(key))
        name += ("[" + key + "]").str();
      else
        name += (name.empty() ? "" : ".") + key.str();
      continue;
    }
    size_t next = std::min(path.find("['", 1), path.size());
    name += path.take_front(next);
    path = path.drop_front(next);
  }
  return name;
}

std::optional<std::string> nameInLocation(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return simplifyKeyPath(named.getName());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto name = nameInLocation(part))
        return name;
  return std::nullopt;
}

std::optional<SmallVector<unsigned>>
parseIndexRanges(StringRef text, unsigned count, std::string &error) {
  SmallVector<unsigned> indices;
  SmallVector<StringRef> ranges;
  text.split(ranges, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef range : ranges) {
    auto [firstText, lastText] = range.trim().split('-');
    unsigned first, last;
    if (firstText.getAsInteger(10, first) ||
        (range.contains('-') ? lastText : firstText).getAsInteger(10, last) ||
        last < first) {
      error =
          llvm::formatv("'{0}' is no range of positions, such as 0-147", range);
      return std::nullopt;
    }
    if (last >= count) {
      error = llvm::formatv("names argument {0}, but @main has {1} arguments",
                            last, count);
      return std::nullopt;
    }
    if (!indices.empty() && first <= indices.back()) {
      error = llvm::formatv("positions must ascend; '{0}' comes after {1}",
                            range, indices.back());
      return std::nullopt;
    }
    for (unsigned index = first; index <= last; ++index)
      indices.push_back(index);
  }
  return indices;
}

} // namespace shardsmith
