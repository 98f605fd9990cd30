// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_MANIFEST_H
#define SHARDSMITH_LOWER_COMMON_MANIFEST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace shardsmith::lower {

/// What the manifest says about a program beyond its function.
struct ProgramDescription {
  std::string modelName = "model";
  std::string planHash;
  int64_t predictedCommunicationBytes = 0;
  /// Of these, bytes of rows that are routed by data.
  int64_t predictedRowBytes = 0;
  int64_t predictedStepNanoseconds = 0;
};

/// How the runtime names an element type: `f32`, `u8`, `bool`.
std::string elementTypeName(mlir::Type element);

/// The JSON text of docs/program-manifest.md for a function with planned
/// buffers.
std::string makeManifest(mlir::func::FuncOp function,
                         const ProgramDescription &description);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_MANIFEST_H
