// SPDX-License-Identifier: Apache-2.0
//
// The samples of one micro-batch among those of the batch. Of a dimension of
// so many samples, each of `grain` elements in a row, micro-batch i has the
// samples i, i + count, i + 2·count, … of a data rank's part, which is all of
// it where ranks have equal shares.

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H

#include "MicroBatchShares.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith {

class SampleSlices {
public:
  /// `index`: a scalar, the number of the micro-batch.
  SampleSlices(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
               const MicroBatchShares &shares)
      : builder(builder), index(index), shares(shares), count(shares.slots()) {}

  ///     [8, 4] -> [2, count, 4] -> [2, 1, 4] -> [2, 4]
  mlir::Value take(mlir::Value whole, int64_t dim, int64_t grain = 1);
  /// The value of one micro-batch among zeros for all others.
  mlir::Value amongZeros(mlir::Value part, int64_t dim, int64_t grain);
  /// Of uneven shares: a value of one slot with another element in place of
  /// those of ranks that have had all of their micro-batches.
  mlir::Value onlyCounted(mlir::Value part, int64_t dim, int64_t grain,
                          mlir::Value otherwise);

private:
  mlir::Value takeOfShares(mlir::Value whole, int64_t dim, int64_t grain);
  mlir::Value amongZerosOfShares(mlir::Value part, int64_t dim, int64_t grain);
  /// Samples of a dimension by their numbers.
  mlir::Value rowsAt(mlir::Value places, mlir::Value whole, int64_t dim,
                     int64_t grain);
  /// Of a flag per sample of a dimension.
  mlir::Value where(mlir::Value flags, mlir::Value value, int64_t dim,
                    int64_t grain, mlir::Value otherwise);
  mlir::Value numbers(llvm::ArrayRef<int32_t> values);
  /// The number of the micro-batch, once per sample.
  mlir::Value indexFor(mlir::Value perSample);

  /// Zeros, and the number of the micro-batch for one dimension.
  llvm::SmallVector<mlir::Value> startsAt(size_t rank, size_t dim);

  mlir::ImplicitLocOpBuilder &builder;
  mlir::Value index;
  const MicroBatchShares &shares;
  int64_t count;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_SAMPLESLICES_H
