// SPDX-License-Identifier: Apache-2.0
//
// How an op is split into micro-batches: along one factor of its rule, as over
// a mesh with one axis, the temporal one.

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_TIMESPLIT_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_TIMESPLIT_H

#include "mlir/IR/Operation.h"
#include "shardsmith/Sharding/FactorAxes.h"

namespace shardsmith {

/// The only axis of the mesh; its size is the number of micro-batches.
inline constexpr MeshAxis timeAxis = 0;

/// Of the factor so many elements that follow each other are of one sample.
struct TimeSplit {
  FactorAxes axes;
  FactorIndex factor = 0;
  int64_t grain = 1;

  /// Elements per sample along the dimension of a tensor that has the factor:
  ///
  ///     [8, 16] -> [128]     8 samples, of one element before, of 16 behind
  int64_t grainOf(const FactorRule &rule, const TensorFactors &tensor) const;
};

/// The split of an op by that of one dimension of a tensor of it, which has
/// `grain` elements per sample; none if elements of one sample would be apart.
std::optional<TimeSplit> splitAlong(const FactorRule &rule,
                                    const TensorFactors &tensor, unsigned dim,
                                    int64_t grain);

/// Whether the factors may be split, into equal parts. Positions along the
/// batch are those in the whole batch, so nothing that compares them with a
/// shard's offset may be split: rows that are looked up, or written to.
bool canSplit(mlir::Operation *op, const Mesh &mesh, const FactorRule &rule,
              const FactorAxes &axes);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_TIMESPLIT_H
