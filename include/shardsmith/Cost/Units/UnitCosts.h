// SPDX-License-Identifier: Apache-2.0
//
// What one unit (one repetition of a block) costs one rank for one
// micro-batch, once the tensor axis' layout of the block is chosen. The
// planner's tables hold these; stages and steps are sums of them.

#ifndef SHARDSMITH_COST_UNITS_UNITCOSTS_H
#define SHARDSMITH_COST_UNITS_UNITCOSTS_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Cost/Units/BlockShapes.h"
#include "shardsmith/Cost/Units/LaunchFloor.h"
#include "shardsmith/Cost/Units/RecomputedOps.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/ParameterSharing.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace shardsmith {

/// Communication inside a block, by axis: exposed time only.
struct UnitCommunication {
  Nanoseconds tensor, context, expert;

  Nanoseconds total() const { return tensor + context + expert; }
  UnitCommunication &operator+=(const UnitCommunication &other);
  bool operator==(const UnitCommunication &) const = default;
};

/// Parameters that a unit has in common with others
/// (`workload::ParameterSharing`): a rank holds no more than `tensors` times
/// these, of whichever of its units have most.
struct SharedParameters {
  workload::SharedTensors of;
  /// As in `UnitCosts`.
  int64_t dense = 0, expert = 0, partial = 0;

  bool operator==(const SharedParameters &) const = default;
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
  /// Parameter elements on this rank before any ZeRO, without those of
  /// `shared`: those that every data rank has, and those split over the expert
  /// axis.
  int64_t denseParameters = 0, expertParameters = 0;
  /// Of these, those whose gradients the tensor axis sums up, once per step:
  /// each of its ranks has used the whole parameter on its share of the work.
  int64_t partialParameters = 0;
  /// In the order of their groups; most models have none.
  std::vector<SharedParameters> shared;
  /// What this rank sends if the next unit is on another stage, per
  /// micro-batch.
  Bytes outputBytes;
  /// Bytes this rank puts on the links of each axis, forward and backward.
  Bytes tensorTraffic, contextTraffic, expertTraffic;

  Nanoseconds backward(Recompute choice) const {
    return backwardInput + backwardWeight + backwardCommunication.total() +
           recompute[size_t(choice)];
  }
  /// Of both passes, communication included.
  Nanoseconds time(Recompute choice) const {
    return forward + forwardCommunication.total() + backward(choice);
  }
  /// Component-wise sum; of the transients the larger one.
  UnitCosts &operator+=(const UnitCosts &other);
  bool operator==(const UnitCosts &) const = default;
};

UnitCosts operator+(const UnitCosts &a, const UnitCosts &b);

/// Counts of parameters saturate, as sizes do.
void addParameters(int64_t &sum, int64_t each, int64_t count = 1);
/// What one unit alone has: its own and those it shares.
SharedParameters parametersOfUnit(const UnitCosts &unit);

/// The parts of a block: what the expert axis changes, and the rest, which
/// settings that differ in that axis share.
enum class BlockPart { Common, Experts };

/// What of a block's prices no setting changes, on one kind of device.
struct PricedBlock {
  /// The first and the last must outlive this; `sharing` is the workload's.
  PricedBlock(const workload::Workload &workload, workload::BlockIndex block,
              const workload::ParameterSharing &sharing,
              const KernelTimes &kernels);

  /// Whether the op is of that part, and counts positions, or does not
  /// (`BlockStructure::countsPositions`).
  bool isIn(workload::OpIndex op, BlockPart part, bool countPositions) const;

  const workload::Workload &workload;
  const workload::Block &block;
  const KernelTimes &kernels;
  std::shared_ptr<const BlockStructure> structure;
  /// By tensor; nothing but for parameters.
  std::vector<std::optional<workload::SharedTensors>> sharing;
  LaunchFloor launches;
  RecomputedOps recomputed;
  /// The same for selective recomputation, if it keeps products.
  std::optional<RecomputedOps> selective;
  /// Blocks that occur once (embedding, head) keep products of 16 bits.
  workload::ElementType productType;
  KernelTimes::ProductRates products;
  /// Of the prices of all ops and their splits, where each op's begin, and one
  /// past the last.
  std::vector<size_t> opBegins;
};

/// Prices one block under one setting. The costs of a layout are the sum of
///  - `op` over the ops,
///  - `store` over their results: from the layout that the split gives to the
///    layout that is kept,
///  - `read` over the tensors: from the kept layout to all that are read,
///  - `hold` over the tensors,
/// passed through `launches().finish`; so the planner may add them up one by
/// one. Not for use by two threads at once: prices are remembered.
class UnitCostModel {
public:
  /// All must outlive this.
  UnitCostModel(const workload::Workload &workload, workload::BlockIndex block,
                UnitSetting setting, const KernelTimes &kernels,
                const CollectiveTimes &collectives);
  /// `exchanges`: of all models that share the collectives' times and the stack
  /// profile.
  UnitCostModel(std::shared_ptr<const PricedBlock> block, UnitSetting setting,
                const CollectiveTimes &collectives,
                std::shared_ptr<ExchangeCache> exchanges);

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
  /// Whose `finish` makes of sums what a unit takes; it is no sum.
  const LaunchFloor &launches() const { return shared->launches; }

  /// What both passes of the ops take on the device, in the split that is best
  /// for each: kernels and what ops exchange. No layout takes less. Without
  /// recomputation and changes of layout.
  Nanoseconds leastOps() const {
    return leastOps(BlockPart::Common) + leastOps(BlockPart::Experts);
  }
  Nanoseconds leastOps(BlockPart part) const {
    return leastOps(part, false) + leastOps(part, true);
  }
  /// Of ops that count positions, or of the others
  /// (`BlockStructure::countsPositions`).
  Nanoseconds leastOps(BlockPart part, bool countPositions) const;

  /// Of the parameters that the unit shares: what any layout has at least, and
  /// at most.
  std::vector<SharedParameters> leastShared() const;
  std::vector<SharedParameters> mostShared() const;

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
  /// Exposed part of what goes along the tensor axis on that path.
  double tensorShare(const GroupPath &path) const;

  std::shared_ptr<const PricedBlock> shared;
  const workload::Workload &workload;
  const workload::Block &priced;
  const KernelTimes &kernels;
  const RecomputedOps &recomputed;
  const std::optional<RecomputedOps> &selective;
  UnitSetting setting;
  const CollectiveTimes &collectives;
  std::shared_ptr<ExchangeCache> exchanges;
  BlockShapes blockShapes;

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
  /// Places in `opCosts`, or none.
  static constexpr uint32_t unpriced = ~uint32_t(0);
  mutable std::vector<uint32_t> opPlaces;
  mutable std::deque<UnitCosts> opCosts;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_UNITCOSTS_H
