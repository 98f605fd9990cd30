// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/LocationText.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardsmith {

std::string locationText(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn();
  else
    os << location;
  return text;
}

} // namespace shardsmith
