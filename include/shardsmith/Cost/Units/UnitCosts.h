// SPDX-License-Identifier: Apache-2.0
//
// The costs of one unit (one repetition of a block) on one rank for one
// micro-batch, with a given layout of the block. Block tables hold these;
// stages and steps are sums of them.

#ifndef SHARDSMITH_COST_UNITS_UNITCOSTS_H
#define SHARDSMITH_COST_UNITS_UNITCOSTS_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Cost/Units/BlockShapes.h"
#include "shardsmith/Cost/Units/LaunchFloor.h"
#include "shardsmith/Cost/Units/RecomputedOps.h"
#include "shardsmith/Cost/Units/UnitExchanges.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/ParameterSharing.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace shardsmith {

/// The exposed time of the communication inside a block, by axis.
using UnitCommunication = PerUnitAxis<Nanoseconds>;

/// Parameters that a unit has in common with others
/// (`workload::ParameterSharing`): a rank holds no more than `tensors` times
/// these, of whichever of its units have most.
struct SharedParameters {
  workload::SharedTensors of;
  /// Counts as in `UnitCosts`.
  int64_t dense = 0, expert = 0, partial = 0;

  bool operator==(const SharedParameters &) const = default;
};

struct UnitCosts {
  /// The kernels of the forward pass; at least the launch floor.
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
  /// The bytes beyond `saved` that exist only while the unit runs.
  Bytes transient;
  /// Parameter elements on this rank before any ZeRO, without those of
  /// `shared`: those that every data rank has, and those split over the expert
  /// axis.
  int64_t denseParameters = 0, expertParameters = 0;
  /// Of these, those whose gradients the tensor axis sums up, once per step:
  /// each of its ranks has used the whole parameter on its share of the work.
  int64_t partialParameters = 0;
  /// The shared parameters, in the order of their groups; most models have
  /// none.
  std::vector<SharedParameters> shared;
  /// What this rank sends if the next unit is on another stage, per
  /// micro-batch.
  Bytes outputBytes;
  /// Bytes this rank puts on the links of each axis, forward and backward.
  PerUnitAxis<Bytes> traffic;

  Nanoseconds backward(Recompute choice) const {
    return backwardInput + backwardWeight + backwardCommunication.sum() +
           recompute[size_t(choice)];
  }
  /// The time of both passes, communication included.
  Nanoseconds time(Recompute choice) const {
    return forward + forwardCommunication.sum() + backward(choice);
  }
  /// Adds every member, but takes the larger transient.
  UnitCosts &operator+=(const UnitCosts &other);
  bool operator==(const UnitCosts &) const = default;
};

UnitCosts operator+(const UnitCosts &a, const UnitCosts &b);

/// Counts of parameters saturate, as sizes do.
void addParameters(int64_t &sum, int64_t each, int64_t count = 1);
/// All parameters of one unit: its own and those it shares.
SharedParameters parametersOfUnit(const UnitCosts &unit);

/// The parts of a block: what the expert axis changes, and the rest, which
/// settings that differ in that axis share.
enum class BlockPart { Common, Experts };

/// The part of the prices of a block that no setting changes, on one device
/// kind.
struct PricedBlock {
  /// `workload` and `kernels` must outlive this object; `sharing` is that of
  /// the workload, and `splits` those of the block.
  PricedBlock(const workload::Workload &workload, workload::BlockIndex block,
              const workload::ParameterSharing &sharing,
              const KernelTimes &kernels,
              const workload::BlockSplits &splits = {});

  /// Whether the op belongs to that part, and sees nothing but the number of
  /// positions if `countPositions` is set, or more if not
  /// (`BlockStructure::countsPositions`).
  bool isIn(workload::OpIndex op, BlockPart part, bool countPositions) const;

  const workload::Workload &workload;
  const workload::Block &block;
  const KernelTimes &kernels;
  std::shared_ptr<const BlockStructure> structure;
  /// Per tensor: the group that shares it; nothing for tensors that are not
  /// shared parameters.
  std::vector<std::optional<workload::SharedTensors>> sharing;
  LaunchFloor launches;
  RecomputedOps recomputed;
  /// What selective recomputation computes again, if it keeps products.
  std::optional<RecomputedOps> selective;
  /// Blocks that occur once (embedding, head) keep products of 16 bits.
  workload::ElementType productType;
  KernelTimes::ProductRates products;
  /// Where the prices of the splits of each op begin in one list of all, and
  /// one past the last.
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
  /// What is passed by reference must outlive this object.
  UnitCostModel(const workload::Workload &workload, workload::BlockIndex block,
                UnitSetting setting, const KernelTimes &kernels,
                const CollectiveTimes &collectives);
  /// `exchanges` may be shared by all models with the same collective times and
  /// stack profile.
  UnitCostModel(std::shared_ptr<const PricedBlock> block, UnitSetting setting,
                const CollectiveTimes &collectives,
                std::shared_ptr<ExchangeCache> exchanges);

  const workload::Block &block() const { return priced; }
  const BlockShapes &shapes() const { return blockShapes; }

  /// Kernels of one op, with the attention's exchange along the context axis
  /// and the experts' all-to-all. Saturated times if the setting cannot run
  /// the op.
  const UnitCosts &op(workload::OpIndex op, OpSplit split) const;
  /// The change of layout from the producer to where the tensor is kept, and
  /// that of its gradient on the way back.
  UnitCosts store(workload::TensorIndex tensor, TensorLayout from,
                  TensorLayout kept) const;
  /// The changes of layout for the readers. Each layout is made once; gradients
  /// that come back in one layout are summed and changed together.
  UnitCosts read(workload::TensorIndex tensor, TensorLayout kept,
                 ReadingSet readings) const;
  /// The memory and the parameters of the tensor.
  UnitCosts hold(workload::TensorIndex tensor, TensorLayout kept) const;
  /// The launch floor, which turns the sum into what the unit takes; it is not
  /// additive.
  const LaunchFloor &launches() const { return shared->launches; }

  /// A lower bound on every layout: the kernels of both passes and what ops
  /// exchange, with the best split of each op, without recomputation and
  /// changes of layout.
  Nanoseconds leastOps() const {
    return leastOps(BlockPart::Common) + leastOps(BlockPart::Experts);
  }
  Nanoseconds leastOps(BlockPart part) const {
    return leastOps(part, false) + leastOps(part, true);
  }
  /// The same for ops that see nothing but the number of positions, or for the
  /// others (`BlockStructure::countsPositions`).
  Nanoseconds leastOps(BlockPart part, bool countPositions) const;

  /// The least and the most shared parameters that any layout has on a rank.
  std::vector<SharedParameters> leastShared() const;
  std::vector<SharedParameters> mostShared() const;

  UnitCosts price(const BlockLayout &layout) const;
  /// The exchanges whose times and bytes `price` has added up.
  UnitExchanges exchangesOf(const BlockLayout &layout) const;

private:
  /// Where every exchange goes that is priced: into the sums, and into the list
  /// if there is one.
  template <UnitAxis axis>
  void add(const PricedExchange &exchange, bool isBackward,
           UnitCosts &costs) const {
    UnitCommunication &times =
        isBackward ? costs.backwardCommunication : costs.forwardCommunication;
    times[axis] += exchange.time;
    costs.traffic[axis] += exchange.traffic;
    if (listed)
      list(axis, exchange, isBackward);
  }
  /// The exchange in the forward pass, and the same in the backward pass.
  template <UnitAxis axis>
  void addBothWays(const PricedExchange &exchange, bool hasBackward,
                   UnitCosts &costs) const {
    add<axis>(exchange, false, costs);
    if (hasBackward)
      add<axis>(exchange, true, costs);
  }
  void list(UnitAxis axis, const PricedExchange &exchange,
            bool isBackward) const;
  /// Says of the forward exchanges that were listed from the one at `begin` on
  /// that the way of recomputing does them again.
  void markRepeated(size_t begin, Recompute choice) const;
  size_t listedCount() const { return listed ? listed->size() : 0; }
  UnitCosts priceOp(workload::OpIndex op, OpSplit split) const;
  void priceKernels(workload::OpIndex op, OpSplit split,
                    UnitCosts &costs) const;
  void priceMatmul(workload::OpIndex op, OpSplit split, UnitCosts &costs) const;
  bool dealsPositions(int64_t positions) const;
  Bytes inF32(workload::OpIndex op, OpSplit split, unsigned operand) const;
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
  /// Whether selective recomputation keeps the sum of a product over the tensor
  /// axis, because making it again would exchange it again.
  bool keepsSum(workload::TensorIndex tensor, TensorLayout made) const;
  Bytes lossBytes(workload::OpIndex op, OpSplit split) const;
  /// What the op reads and writes in the forward pass.
  Bytes movedBytes(workload::OpIndex op, OpSplit split) const;
  /// The operations of the forward pass of the op on this rank.
  double operations(workload::OpIndex op, OpSplit split) const;
  int64_t paddedShard(const workload::Op &op, workload::FactorIndex factor,
                      OpSplit split) const;
  /// The bytes of an operand or result as the op reads or makes it.
  Bytes operandBytes(workload::OpIndex op, OpSplit split,
                     unsigned operand) const;
  Bytes resultBytes(workload::OpIndex op, OpSplit split, unsigned result) const;
  /// Adds the exposed time of a change of layout along the tensor axis, and its
  /// traffic.
  void change(workload::TensorIndex tensor, TensorLayout from, TensorLayout to,
              bool isBackward, UnitCosts &costs) const;
  /// The exposed time of a collective along the tensor axis, on its fastest
  /// path.
  Nanoseconds tensorCollective(CollectiveOp op, Bytes bytes) const;
  /// The time of a collective along the context or expert axis, on its fastest
  /// path.
  Nanoseconds collective(CollectiveOp op, const PathChoice &choice,
                         Bytes bytes) const;
  /// The exposed share of collectives along the tensor axis on that path.
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
    PricedExchange exchange;
  };
  PricedChange priceChange(workload::TensorIndex tensor, TensorLayout from,
                           TensorLayout to) const;
  /// Changes of layout that were priced, per tensor.
  mutable std::vector<std::vector<PricedChange>> pricedChanges;
  /// Indices into `opCosts` by op, then by factor, the last one of each op for
  /// no split; `unpriced` where there is none yet.
  static constexpr uint32_t unpriced = ~uint32_t(0);
  mutable std::vector<uint32_t> opPlaces;
  mutable std::deque<UnitCosts> opCosts;
  /// What is priced is listed here, if not null.
  mutable std::vector<UnitExchange> *listed = nullptr;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_UNITCOSTS_H
