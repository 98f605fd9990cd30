// SPDX-License-Identifier: Apache-2.0
//
// Kernels and messages of single ops.

#ifndef SHARDSMITH_LIB_CHECK_OPWORK_H
#define SHARDSMITH_LIB_CHECK_OPWORK_H

#include "UnitWork.h"

namespace shardsmith::check {

/// Appends to a unit's work.
class OpWork {
public:
  OpWork(const UnitSetting &setting, const LocalBlock &local,
         workload::ElementType productType, UnitWork &work)
      : setting(setting), local(local), productType(productType), work(work) {}

  /// A sentence if the op cannot run like this.
  std::string derive(size_t op);
  void tensorMessage(Pass pass, CollectiveOp operation, Bytes bytes);

private:
  void product(size_t index);
  std::string attention(size_t index);
  void memoryTraffic(size_t index);
  Bytes copiesForLoss(size_t op) const;
  void workingSet(size_t index);
  void exchangeKeys(size_t index, Nanoseconds forward, Nanoseconds backward);
  void rowStatistics(size_t index);
  void exchangeExperts(size_t index);
  void gatherPositions(size_t index);

  void kernel(size_t op, Pass pass, Nanoseconds time, bool forWeights = false);
  Nanoseconds alone(CollectiveOp operation, const GroupPath &path,
                    Bytes bytes) const;
  void contextMessage(Pass pass, CollectiveOp operation, Bytes bytes);
  int64_t padded(size_t op, workload::FactorIndex factor) const;
  bool hasTrainedResult(const workload::Op &op) const;

  const UnitSetting &setting;
  const LocalBlock &local;
  workload::ElementType productType;
  UnitWork &work;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_OPWORK_H
