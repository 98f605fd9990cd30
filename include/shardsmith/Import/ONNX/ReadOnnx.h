// SPDX-License-Identifier: Apache-2.0
//
// ONNX files as forward graphs; docs/import-onnx.md says what becomes what.

#ifndef SHARDSMITH_IMPORT_ONNX_READONNX_H
#define SHARDSMITH_IMPORT_ONNX_READONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Support/CodedError.h"

#include <optional>
#include <string>

namespace shardsmith {

struct OnnxRequest {
  std::string path;
  /// Size of the symbolic batch dimension; `defaultGlobalBatch` if not given.
  std::optional<int64_t> globalBatch = std::nullopt;
  /// Sizes of other symbolic dimensions, as "sequence=128,heads=8".
  std::string dimensions = {};
  /// "cross-entropy:LABELS", "cross-entropy:LABELS:OUTPUT", the name or the
  /// position of an output, or "none" for a graph that cannot be trained; the
  /// only scalar output if empty.
  std::string loss = {};
  /// Names of tensors of the file that are not trained, with commas.
  std::string constants = {};
};

/// Whether `path` is for `readOnnx`: its name ends in `.onnx`.
bool isOnnxFile(llvm::StringRef path);

/// The forward graph of the file, with roles and names on all arguments. The
/// context must have the dialects registered. Nothing is read but the file and
/// external data in its folder. Errors are `CodedError`s: `BadInput`, `Usage`,
/// or `Unsupported` for what is right but not translated.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readOnnx(mlir::MLIRContext &context, const OnnxRequest &request);

/// Writes the floating-point initializers of the model at `path` as a
/// safetensors file, under the names that `readOnnx` gives to parameters.
llvm::Error writeOnnxWeights(const std::string &path,
                             const std::string &safetensors);

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_ONNX_READONNX_H
