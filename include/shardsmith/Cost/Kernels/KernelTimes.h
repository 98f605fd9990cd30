// SPDX-License-Identifier: Apache-2.0
//
// Time of one kernel on one device under one software stack. Formulas and the
// sources of all constants: docs/cost-model.md.

#ifndef SHARDSMITH_COST_KERNELS_KERNELTIMES_H
#define SHARDSMITH_COST_KERNELS_KERNELTIMES_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Workload/Workload.h"

namespace shardsmith {

class KernelTimes {
public:
  /// Both arguments must outlive this object.
  KernelTimes(const DeviceType &device, const StackProfile &profile);

  /// The rates of products of one element type, looked up once for many
  /// products.
  struct ProductRates {
    MatmulFit fit;
    /// Operations per second; `misalignedPerSecond` where a size is not a
    /// multiple of 64.
    double perSecond, misalignedPerSecond;
    double bytesPerElement;
    /// The bandwidth of the memory.
    double bytesPerSecond;
  };
  ProductRates productRates(workload::ElementType type) const;

  /// The time of `batch` products of m × k by k × n.
  Nanoseconds matmul(int64_t batch, int64_t m, int64_t n, int64_t k,
                     const ProductRates &rates) const;
  Nanoseconds matmul(int64_t batch, int64_t m, int64_t n, int64_t k,
                     workload::ElementType type) const {
    return matmul(batch, m, n, k, productRates(type));
  }
  /// The time of one product per expert; the experts have `tokens` rows in
  /// total.
  Nanoseconds groupedMatmul(int64_t experts, int64_t tokens, int64_t n,
                            int64_t k, const ProductRates &rates) const;
  Nanoseconds groupedMatmul(int64_t experts, int64_t tokens, int64_t n,
                            int64_t k, workload::ElementType type) const {
    return groupedMatmul(experts, tokens, n, k, productRates(type));
  }
  struct AttentionSize {
    int64_t sequences = 1, queryHeads = 1, keyValueHeads = 1;
    int64_t queries = 1, keys = 1, headSize = 1, valueSize = 1;
    /// The share of the query × key square that is computed: 0.5 for causal
    /// attention.
    double density = 1;
  };
  Nanoseconds attentionForward(const AttentionSize &size,
                               workload::ElementType type) const;
  Nanoseconds attentionBackward(const AttentionSize &size,
                                workload::ElementType type) const;
  /// The time of a kernel that only moves `bytes` through memory.
  Nanoseconds memoryBound(Bytes bytes) const;
  /// The time that these bytes add to such a kernel, whose start is counted
  /// elsewhere.
  Nanoseconds traffic(Bytes bytes) const;
  /// The least time between the starts of two kernels, and the least time of
  /// the forward pass of a whole layer; both because the host launches kernels
  /// one by one.
  Nanoseconds launch() const;
  Nanoseconds layerFloor() const;

  const DeviceType &device() const { return *described; }
  const StackProfile &profile() const { return *stack; }

private:
  const DeviceType *described;
  const StackProfile *stack;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_KERNELS_KERNELTIMES_H
