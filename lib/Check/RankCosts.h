// SPDX-License-Identifier: Apache-2.0
//
// Time and memory of one pipeline rank.

#ifndef SHARDSMITH_LIB_CHECK_RANKCOSTS_H
#define SHARDSMITH_LIB_CHECK_RANKCOSTS_H

#include "RankWork.h"
#include "Schedules.h"
#include "shardsmith/Check/PlanCheck.h"

namespace shardsmith::check {

/// Ranks that hold the same parameters: ZeRO cuts what it cuts into `shards`
/// pieces, of which there are `copies`.
struct Replicas {
  GroupPath shards, copies, all;
};

/// Per micro-batch, and at the end of a step.
struct RankTimes {
  Nanoseconds perMicroBatch, pipeline, gathers, idle, data, joint, optimizer;

  Nanoseconds tail() const { return data + joint + optimizer; }
};

struct RankMemory {
  std::vector<std::pair<const char *, Bytes>> items;
  Bytes limit;
  /// Passes through a stage that have begun and not ended at the peak, over
  /// the stages that the rank has.
  int64_t passes = 1, stages = 1;

  Bytes peak() const;
  double filled() const;
};

class RankCosts {
public:
  /// All must outlive this.
  RankCosts(const CheckInputs &inputs, const ClusterTopology &topology,
            const Strategy &strategy, double memoryMargin);

  UnitSetting unitSetting(unsigned pool) const;
  RankTimes timesOf(const RankWork &rank, int64_t microBatches) const;
  RankMemory memoryOf(int64_t index, const RankWork &rank) const;
  /// One way, whatever hides it.
  Nanoseconds message(const RankWork::Send &send) const {
    return collective(CollectiveOp::SendReceive, send.path, send.bytes);
  }
  /// What ranks of several stages exchange of parameters that all of them have.
  struct JointMessage {
    Bytes bytes;
    int64_t count = 0;
  };
  std::vector<JointMessage> jointMessages(const RankWork &rank) const;
  Bytes limitOf(unsigned pool) const;
  const SharedNames &sharedNames() const { return shared; }

private:
  Nanoseconds collective(CollectiveOp operation, const GroupPath &path,
                         Bytes bytes) const;
  Replicas replicas(bool ofExperts, unsigned pool) const;
  double parameterBytes() const;
  double stateBytes() const;
  void exchange(const Replicas &group, int64_t parameters, int64_t uses,
                Nanoseconds &once, Nanoseconds &perMicroBatch) const;
  Nanoseconds idle(const RankWork &rank, Nanoseconds exposed,
                   int64_t microBatches) const;
  Bytes held(const RankWork &rank, const Replicas &dense,
             const Replicas &expert, int fromStage, double bytesEach) const;
  PipelineSize pipelineSize(int64_t microBatches) const;

  const workload::Workload &workload;
  SharedNames shared;
  const StackProfile &profile;
  const ClusterTopology &topology;
  const Strategy &strategy;
  double memoryMargin;
  Groups groups;
  CollectiveTimes collectives;
  int64_t microBatches;
  std::vector<KernelTimes> kernels;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_RANKCOSTS_H
