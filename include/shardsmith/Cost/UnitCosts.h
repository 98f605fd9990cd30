// SPDX-License-Identifier: Apache-2.0
//
// What one unit (one repetition of a block) costs one rank for one
// micro-batch, once the tensor axis' layout of the block is chosen. The
// planner's tables hold these; stages and steps are sums of them.

#ifndef SHARDSMITH_COST_UNITCOSTS_H
#define SHARDSMITH_COST_UNITCOSTS_H

#include "shardsmith/Cost/BlockShapes.h"
#include "shardsmith/Cost/CollectiveTimes.h"
#include "shardsmith/Cost/KernelTimes.h"
#include "shardsmith/Cost/RecomputedOps.h"
#include "shardsmith/Strategy/Strategy.h"

#include <array>

namespace shardsmith {

/// Communication inside a block, by axis: exposed time only.
struct UnitCommunication {
  Nanoseconds tensor, context, expert;

  Nanoseconds total() const { return tensor + context + expert; }
  UnitCommunication &operator+=(const UnitCommunication &other);
  bool operator==(const UnitCommunication &) const = default;
};

struct UnitCosts {
  /// Kernels; at least the launch floor.
  Nanoseconds forward;
  /// The two halves of the backward pass: gradients of activations, and of
  /// parameters.
  Nanoseconds backwardInput, backwardWeight;
  UnitCommunication forwardCommunication, backwardCommunication;
  /// Time that each way of recomputing adds to the backward pass,
  /// communication included.
  std::array<Nanoseconds, recomputeChoices> recompute;
  /// What stays in memory from forward to backward, per micro-batch, for each
  /// way of recomputing.
  std::array<Bytes, recomputeChoices> saved;
  /// More than `saved`, only while the unit runs.
  Bytes transient;
  /// Parameter elements on this rank before any ZeRO: those that every data
  /// rank has, and those split over the expert axis.
  int64_t denseParameters = 0, expertParameters = 0;
  /// Of these, those whose gradients the tensor axis sums up, once per step:
  /// each of its ranks has used the whole parameter on its share of the work.
  int64_t partialParameters = 0;
  /// What this rank sends if the next unit is on another stage, per
  /// micro-batch.
  Bytes outputBytes;
  /// Bytes this rank puts on the links of each axis, forward and backward.
  Bytes tensorTraffic, contextTraffic, expertTraffic;

  Nanoseconds backward(Recompute choice) const {
    return backwardInput + backwardWeight + backwardCommunication.total() +
           recompute[size_t(choice)];
  }
  /// Component-wise sum; of the transients the larger one.
  UnitCosts &operator+=(const UnitCosts &other);
  bool operator==(const UnitCosts &) const = default;
};

UnitCosts operator+(const UnitCosts &a, const UnitCosts &b);

/// Prices one block under one setting. The costs of a layout are the sum of
///  - `op` over the ops,
///  - `store` over their results: from the layout that the split gives to the
///    layout that is kept,
///  - `read` over the tensors: from the kept layout to all that are read,
///  - `hold` over the tensors,
/// passed through `finish`; so the planner may add them up one by one. Not for
/// use by two threads at once: prices are remembered.
class UnitCostModel {
public:
  /// All must outlive this.
  UnitCostModel(const workload::Workload &workload, workload::BlockIndex block,
                const UnitSetting &setting, const KernelTimes &kernels,
                const CollectiveTimes &collectives);

  const workload::Block &block() const { return priced; }
  const BlockShapes &shapes() const { return blockShapes; }

  /// Kernels of one op, with the attention's exchange along the context axis
  /// and the experts' all-to-all. Saturated times if the setting cannot run
  /// the op.
  const UnitCosts &op(workload::OpIndex op, OpSplit split) const;
  /// The producer's change, and the gradient's way back.
  UnitCosts store(workload::TensorIndex tensor, TensorLayout from,
                  TensorLayout kept) const;
  /// The readers' changes: each layout is made once, gradients that come back
  /// in one layout are summed and changed together.
  UnitCosts read(workload::TensorIndex tensor, TensorLayout kept,
                 ReadingSet readings) const;
  /// Memory and parameters.
  UnitCosts hold(workload::TensorIndex tensor, TensorLayout kept) const;
  /// The launch floor, which is no sum.
  UnitCosts finish(UnitCosts sum) const;
  /// What `finish` makes at least of any sums that have no number less than
  /// `least` has. How the floor is shared between forward and backward differs,
  /// so neither waits here.
  UnitCosts finishLeast(UnitCosts least) const;
  /// What `finish` makes of both passes together, without recomputation. Grows
  /// with what the device takes, and the more the more that is.
  Nanoseconds finished(Nanoseconds device) const;
  /// The most that the device may take for that; less than nothing if `time` is
  /// too short for the host alone. Rounded up.
  Nanoseconds longestDevice(Nanoseconds time) const;
  /// How much `finished` grows per nanosecond of the device's time at `device`,
  /// and, if passes may be launched again, how much the time with any way of
  /// recomputing does at least.
  double growth(Nanoseconds device, bool isLaunchedAgain) const;
  /// The most that `finish` adds to the forward pass.
  Nanoseconds longestForwardWait() const { return forwardFloor + forwardGaps; }

  /// What both passes of the ops take before `finish`, in the split that is
  /// best for each: kernels and what ops exchange. No layout takes less.
  /// Without recomputation and changes of layout.
  Nanoseconds leastOps() const;

  UnitCosts price(const BlockLayout &layout) const;

private:
  UnitCosts priceOp(workload::OpIndex op, OpSplit split) const;
  void priceKernels(workload::OpIndex op, OpSplit split,
                    UnitCosts &costs) const;
  void priceMatmul(workload::OpIndex op, OpSplit split, UnitCosts &costs) const;
  void priceAttention(workload::OpIndex op, OpSplit split,
                      UnitCosts &costs) const;
  void priceMemoryTraffic(workload::OpIndex op, OpSplit split,
                          UnitCosts &costs) const;
  void priceAttentionExchange(workload::OpIndex op, OpSplit split,
                              Nanoseconds forward, Nanoseconds backward,
                              UnitCosts &costs) const;
  void priceRowStatistics(workload::OpIndex op, OpSplit split,
                          UnitCosts &costs) const;
  void priceExpertExchange(workload::OpIndex op, OpSplit split,
                           UnitCosts &costs) const;
  void priceContextSums(workload::OpIndex op, OpSplit split,
                        UnitCosts &costs) const;
  /// Selective recomputation kept a product's sum over the tensor axis: to
  /// make it again would exchange it again.
  bool keepsSum(workload::TensorIndex tensor, TensorLayout made) const;
  Bytes lossBytes(workload::OpIndex op, OpSplit split) const;
  int64_t paddedShard(const workload::Op &op, workload::FactorIndex factor,
                      OpSplit split) const;
  /// As the op reads and makes them.
  Bytes operandBytes(workload::OpIndex op, OpSplit split,
                     unsigned operand) const;
  Bytes resultBytes(workload::OpIndex op, OpSplit split, unsigned result) const;
  /// Exposed time of a change of layout along the tensor axis, and its
  /// traffic.
  void change(workload::TensorIndex tensor, TensorLayout from, TensorLayout to,
              Nanoseconds &time, Bytes &traffic) const;
  /// Exposed time of one along the tensor axis, on the path with the least.
  Nanoseconds tensorCollective(CollectiveOp op, Bytes bytes) const;
  /// On the fastest path of the context or expert axis.
  Nanoseconds collective(CollectiveOp op, const PathChoice &choice,
                         Bytes bytes) const;
  /// The least `time(path)`, remembered for the same arguments.
  template <typename Time>
  Nanoseconds leastOf(CollectiveOp op, const PathChoice &choice, Bytes bytes,
                      Time time) const;
  /// Exposed part of what goes along the tensor axis on that path.
  double tensorShare(const GroupPath &path) const;

  const workload::Workload &workload;
  const workload::Block &priced;
  UnitSetting setting;
  const KernelTimes &kernels;
  const CollectiveTimes &collectives;
  BlockShapes blockShapes;
  RecomputedOps recomputed;
  /// The same for selective recomputation, if it keeps products.
  std::optional<RecomputedOps> selective;
  /// The host's launches, and what the device idles between the kernels.
  Nanoseconds forwardFloor, backwardFloor, forwardGaps, backwardGaps;

  struct PricedCollective {
    CollectiveOp op;
    const PathChoice *choice;
    Bytes bytes;
    Nanoseconds time;
  };
  mutable std::vector<PricedCollective> pricedCollectives;
  struct PricedChange {
    TensorLayout from, to;
    Nanoseconds time;
    Bytes traffic;
  };
  PricedChange priceChange(workload::TensorIndex tensor, TensorLayout from,
                           TensorLayout to) const;
  /// By tensor.
  mutable std::vector<std::vector<PricedChange>> pricedChanges;
  /// By op, then by factor; the last one is that of the op without a split.
  mutable std::vector<std::optional<UnitCosts>> pricedOps;
  /// Where each op's begin.
  std::vector<size_t> opBegins;
  /// Blocks that occur once (embedding, head) keep products of 16 bits.
  workload::ElementType productType;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITCOSTS_H
