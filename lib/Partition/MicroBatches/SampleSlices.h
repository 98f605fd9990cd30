// SPDX-License-Identifier: Apache-2.0
//
// The samples of one micro-batch among those of the batch. Of a dimension of
// so many samples, each of `grain` elements in a row, micro-batch i has the
// samples i, i + count, i + 2·count, …

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith {

class SampleSlices {
public:
  /// `index`: a scalar, the number of the micro-batch.
  SampleSlices(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
               int64_t count)
      : builder(builder), index(index), count(count) {}

  ///     [8, 4] -> [2, count, 4] -> [2, 1, 4] -> [2, 4]
  mlir::Value take(mlir::Value whole, int64_t dim, int64_t grain = 1);
  /// The value of one micro-batch among zeros for all others.
  mlir::Value amongZeros(mlir::Value part, int64_t dim, int64_t grain);

private:
  /// Zeros, and the number of the micro-batch for one dimension.
  llvm::SmallVector<mlir::Value> startsAt(size_t rank, size_t dim);

  mlir::ImplicitLocOpBuilder &builder;
  mlir::Value index;
  int64_t count;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H
