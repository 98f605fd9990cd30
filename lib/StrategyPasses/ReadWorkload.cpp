// SPDX-License-Identifier: Apache-2.0

#include "ReadWorkload.h"

using namespace mlir;

namespace shardsmith {

std::optional<workload::Workload> readWorkload(ModuleOp module,
                                               workload::GraphMap *map) {
  llvm::Expected<workload::Workload> extracted = extractWorkload(module, map);
  if (extracted)
    return std::move(*extracted);
  llvm::handleAllErrors(extracted.takeError(), [](const ExtractError &error) {
    emitError(error.getLocation()) << error.getReason();
  });
  return std::nullopt;
}

} // namespace shardsmith
