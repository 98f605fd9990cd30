// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ErrorList.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardsmith {

void ErrorList::add(Location location, const std::string &text) {
  add(location, text, text);
}

void ErrorList::add(Location location, const std::string &text,
                    const std::string &key) {
  ++errors.try_emplace(key, Entry{location, text}).first->second.count;
}

void ErrorList::emit() const {
  size_t shown = std::min(errors.size(), mostShown);
  for (size_t i = 0; i < shown; ++i) {
    const Entry &entry = errors.begin()[i].second;
    InFlightDiagnostic error = emitError(entry.first) << entry.text;
    if (entry.count > 1)
      error << " (and in " << entry.count - 1 << " more "
            << (entry.count == 2 ? "place" : "places") << ")";
    if (i + 1 == shown && shown < errors.size())
      error.attachNote() << "and " << errors.size() - shown
                         << " more errors of this kind";
  }
}

} // namespace shardsmith
