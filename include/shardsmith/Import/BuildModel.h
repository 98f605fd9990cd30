// SPDX-License-Identifier: Apache-2.0
//
// Models from a description instead of a file of ops: a Hugging Face
// `config.json` or the name of a well-known size. What is built is the loss
// graph that an exporter would write, without weights; docs/models.md lists
// names, architectures and what each becomes.

#ifndef SHARDSMITH_IMPORT_BUILDMODEL_H
#define SHARDSMITH_IMPORT_BUILDMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Dialect/Smith/RepeatedCalls.h"
#include "shardsmith/Support/CodedError.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

struct ModelRequest {
  /// A built-in name, the path of a `config.json` or of a folder that holds
  /// one, or the JSON text itself.
  std::string model;
  /// Positions per sequence; the model's usual length if not given.
  std::optional<int64_t> sequenceLength = std::nullopt;
  /// Sequences (or images) of one step.
  std::optional<int64_t> globalBatch = std::nullopt;
  /// Type of parameters and activations: bf16 (the default), f16 or f32.
  /// Norms, softmax and the loss are computed in f32 whatever it is.
  std::string elementType = {};
};

/// Sequences per step where the request does not say.
inline constexpr int64_t defaultGlobalBatch = 512;

/// Builds the loss graph in *folded form*: `@main` calls one private function
/// per distinct layer, once for every layer.
///
///     @layer(x, parameters…) -> y
///     @main(parameters…, tokens, labels) -> loss
///
/// `inline-calls` unfolds it. The context must have the dialects registered
/// (`registerAllDialects`); nothing but the file asked for is read. Errors are
/// `CodedError`s: `BadInput`, `Usage`, or `Unsupported` for what is right but
/// not built here. With a list for calls that stand for several, long runs of
/// equal layers are three calls.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildModel(mlir::MLIRContext &context, const ModelRequest &request,
           smith::RepeatedCalls *repeated = nullptr);

/// Names of the built-in models, by family and size.
std::vector<std::string> builtinModelNames();
bool isBuiltinModel(llvm::StringRef name);

/// Whether `model` is for `buildModel`, not a file of ops: a built-in name, a
/// `.json` file, a folder, or JSON text.
bool isModelDescription(llvm::StringRef model);

/// For a `model` that is no file: "did you mean 'llama3-8b'?" if a built-in
/// name is near, else empty.
std::string suggestBuiltinModel(llvm::StringRef model);

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_BUILDMODEL_H
