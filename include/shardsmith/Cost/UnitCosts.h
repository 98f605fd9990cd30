// SPDX-License-Identifier: Apache-2.0
//
// What one unit (one repetition of a block) costs one rank for one
// micro-batch, once the tensor axis' layout of the block is chosen. The
// planner's tables hold these; stages and steps are sums of them.

#ifndef SHARDSMITH_COST_UNITCOSTS_H
#define SHARDSMITH_COST_UNITCOSTS_H

#include "shardsmith/Cost/CollectiveTimes.h"
#include "shardsmith/Cost/KernelTimes.h"
#include "shardsmith/Strategy/Strategy.h"

#include <array>

namespace shardsmith {

/// What is fixed while the layout of a block is chosen.
struct UnitSetting {
  /// Sequences per rank and pass.
  int64_t microBatch = 1;
  int64_t tensor = 1, context = 1, expert = 1;
  GroupPath tensorPath, contextPath, expertPath;
  ContextMethod contextMethod = ContextMethod::Ring;
  /// Where the tensor axis may split positions between products (Megatron's
  /// sequence parallelism); off for stacks that cannot.
  bool sequenceParallel = true;

  bool operator==(const UnitSetting &) const = default;
};

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
  /// What this rank hands to the next unit, per micro-batch.
  Bytes outputBytes;
  /// Bytes this rank puts on the links of each axis, forward and backward.
  Bytes tensorTraffic, contextTraffic, expertTraffic;

  Nanoseconds backward(Recompute choice) const {
    return backwardInput + backwardWeight + backwardCommunication.total() +
           recompute[size_t(choice)];
  }
  bool operator==(const UnitCosts &) const = default;
};

/// Prices one block under one setting. `UnitCosts` of a layout are the sums of
/// `op` and `edge`, then `finish`; so the planner may add them up one by one.
class UnitCostModel {
public:
  /// All must outlive this.
  UnitCostModel(const workload::Workload &workload, workload::BlockIndex block,
                const UnitSetting &setting, const KernelTimes &kernels,
                const CollectiveTimes &collectives);

  /// Factors that the tensor axis may split in an op: whole-dimension
  /// PassThrough or Reduction factors of at least `tensor` elements, of any
  /// role but Batch and Expert.
  std::vector<OpSplit> splits(workload::OpIndex op) const;
  /// The layout in which the op reads operand i, and gives result i.
  TensorLayout operandLayout(workload::OpIndex op, OpSplit split,
                             unsigned operand) const;
  TensorLayout resultLayout(workload::OpIndex op, OpSplit split,
                            unsigned result) const;

  /// Kernels of one op, with the attention's ring and the experts'
  /// all-to-all; without changes of layout.
  UnitCosts op(workload::OpIndex op, OpSplit split) const;
  /// Handing tensor `tensor` over in `from`, while a reader wants `to`: the
  /// forward change and the backward one (whose layouts are the duals: whole ↔
  /// partial).
  UnitCosts edge(workload::TensorIndex tensor, TensorLayout from,
                 TensorLayout to) const;
  /// Memory of a tensor that is handed out in `layout`: parameters, saved
  /// activations.
  UnitCosts hold(workload::TensorIndex tensor, TensorLayout layout) const;
  /// Floors and full recomputation, which are not sums.
  UnitCosts finish(UnitCosts sum) const;

  UnitCosts price(const BlockLayout &layout) const;

private:
  const workload::Workload &workload;
  const workload::Block &block;
  UnitSetting setting;
  const KernelTimes &kernels;
  const CollectiveTimes &collectives;
};

/// Component-wise sum; counts add, too.
UnitCosts operator+(const UnitCosts &a, const UnitCosts &b);

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITCOSTS_H
