// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SHARDING_DERIVEFACTORAXES_H
#define SHARDSMITH_SHARDING_DERIVEFACTORAXES_H

#include "shardsmith/Sharding/FactorAxes.h"

namespace shardsmith {

/// A tensor whose layout is known, seen from the op that uses or makes it.
struct KnownLayout {
  const TensorFactors *factors;
  Layout layout;
  /// Tensors of higher weight have their way first, equal ones in order.
  Bytes weight;
};

/// Chooses axes for factors so that as many known layouts as possible stay as
/// they are, from the heaviest tensor on. Factors whose shards exchange
/// elements are split as known results are. The choice is always possible.
FactorAxes deriveFactorAxes(const Mesh &mesh, const FactorRule &rule,
                            llvm::ArrayRef<KnownLayout> known);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_DERIVEFACTORAXES_H
