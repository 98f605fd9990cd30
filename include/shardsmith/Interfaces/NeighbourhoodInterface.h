// SPDX-License-Identifier: Apache-2.0
//
// Elements that shards of an op need of each other. They belong to the op's
// factor rule, which says what is split; who does not know of them treats
// Permutation factors as whole (`withoutNeighbours`).

#ifndef SHARDSMITH_INTERFACES_NEIGHBOURHOODINTERFACE_H
#define SHARDSMITH_INTERFACES_NEIGHBOURHOODINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "shardsmith/Interfaces/FactorRule.h"

namespace shardsmith {

/// What positions along a factor need of one dimension of an operand. Position
/// p needs the elements e with
///
///     first + p * step  <=  e * dilation  <  first + p * step + extent
///
/// and finds the neutral value of the op where there is no such e.
///
///   window of 3, padded by 1    first = -1, step = 1, extent = 3
///   every second element        first = 0, step = 2, extent = 1
///   reversal of n elements      first = n - 1, step = -1, extent = 1
///   one zero between elements   first = 0, step = 1, extent = 1, dilation = 2
struct Reach {
  int64_t first = 0;
  /// Not zero.
  int64_t step = 1;
  /// At least one.
  int64_t extent = 1, dilation = 1;

  bool operator==(const Reach &) const = default;
};

struct Neighbourhood {
  FactorIndex factor = 0;
  unsigned operand = 0, dimension = 0;
  /// How many positions the factor counts, and elements the dimension has. Of
  /// a factor of result dimension and operand dimension these are their sizes.
  int64_t positions = 1, elements = 1;
  Reach reach = {};

  bool operator==(const Neighbourhood &) const = default;
};

using Neighbourhoods = llvm::SmallVector<Neighbourhood, 0>;

/// Those of an op, none if it has no such interface.
Neighbourhoods getNeighbourhoods(mlir::Operation *op);

/// True if shards of this factor of the op's rule exchange elements before
/// they compute.
bool needsNeighbours(mlir::Operation *op, FactorIndex factor);

/// Returns an empty string if neighbourhoods fit the rule, else a sentence that
/// names what does not.
std::string verifyNeighbourhoods(const FactorRule &rule,
                                 const Neighbourhoods &neighbourhoods);

/// `neighbours={k of operand 0: e*2 in [p-1, p+2)}`, with the factor's name
/// in the text of the rule; empty if there are none.
std::string textOf(const Neighbourhoods &neighbourhoods);

} // namespace shardsmith

#include "shardsmith/Interfaces/NeighbourhoodInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_NEIGHBOURHOODINTERFACE_H
