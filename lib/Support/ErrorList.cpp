// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ErrorList.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardsmith {

void ErrorList::add(Location location, const std::string &text) {
  ++errors.try_emplace(text, Places{location}).first->second.count;
}

void ErrorList::emit() const {
  size_t shown = std::min(errors.size(), mostShown);
  for (size_t i = 0; i < shown; ++i) {
    const auto &[text, places] = errors.begin()[i];
    InFlightDiagnostic error = emitError(places.first) << text;
    if (places.count > 1)
      error << " (and in " << places.count - 1 << " more "
            << (places.count == 2 ? "place" : "places") << ")";
    if (i + 1 == shown && shown < errors.size())
      error.attachNote() << "and " << errors.size() - shown
                         << " more errors of this kind";
  }
}

} // namespace shardsmith
