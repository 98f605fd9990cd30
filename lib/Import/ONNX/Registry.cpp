// SPDX-License-Identifier: Apache-2.0

#include "Registry.h"

namespace shardsmith::onnx {

const Registry &Registry::standard() {
  static const Registry registry = [] {
    Registry all;
    registerActivations(all);
    registerAttention(all);
    registerConstants(all);
    registerControlFlow(all);
    registerConvolutions(all);
    registerElementwise(all);
    registerIndexing(all);
    registerLosses(all);
    registerNormalizations(all);
    registerOrdering(all);
    registerPools(all);
    registerProducts(all);
    registerReductions(all);
    registerShapes(all);
    return all;
  }();
  return registry;
}

} // namespace shardsmith::onnx
