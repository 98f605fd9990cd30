// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_BUILTINMODELS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_BUILTINMODELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace shardsmith::huggingface {

/// A well-known size: the configuration that its publisher gives, without
/// keys that say nothing about the graph.
struct BuiltinModel {
  llvm::StringLiteral name;
  /// Length it was trained with; 0 for models of images.
  int64_t sequenceLength;
  llvm::StringLiteral config;
};

llvm::ArrayRef<BuiltinModel> builtinModels();
const BuiltinModel *findBuiltinModel(llvm::StringRef name);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_BUILTINMODELS_H
