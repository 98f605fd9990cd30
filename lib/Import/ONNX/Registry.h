// SPDX-License-Identifier: Apache-2.0
//
// Which operators are translated, and by what. A file of Ops/ registers a
// family; adding an operator is one entry there.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_REGISTRY_H
#define SHARDSMITH_LIB_IMPORT_ONNX_REGISTRY_H

#include "Node.h"

#include "llvm/ADT/StringMap.h"

namespace shardsmith::onnx {

/// Builds what a node computes and sets its results.
using Translation = void (*)(Node &);

class Registry {
public:
  /// All operators of the standard domain that are translated.
  static const Registry &standard();

  void add(llvm::StringRef type, Translation translation) {
    translations[type] = translation;
  }
  /// Null for an operator that is not translated.
  Translation find(llvm::StringRef type) const {
    return translations.lookup(type);
  }

private:
  llvm::StringMap<Translation> translations;
};

// One per family.
void registerActivations(Registry &registry);
void registerAttention(Registry &registry);
void registerConstants(Registry &registry);
void registerControlFlow(Registry &registry);
void registerConvolutions(Registry &registry);
void registerElementwise(Registry &registry);
void registerIndexing(Registry &registry);
void registerLosses(Registry &registry);
void registerNormalizations(Registry &registry);
void registerOrdering(Registry &registry);
void registerPools(Registry &registry);
void registerProducts(Registry &registry);
void registerReductions(Registry &registry);
void registerShapes(Registry &registry);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_REGISTRY_H
