// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which layouts of a block are compared: BlockTable.h.
//
// What others wait for while a pipeline fills and drains is
//
//     idle = a · time - f · forward - w · backwardWeight,    a >= 1, f, w >= 0
//
// for each way of recomputing, where `time` is that of both passes. With f =
// w = 0 it says nothing new. All else is compared before the launch floor: what
// has less stays less. Of idle that is not so, for the floor shortens
// differences between times, to a share s of them at least, and not those
// between gradients of parameters; and between forward passes or not. Who is no
// worse in time, in s·a·time - w·backwardWeight, and in that less f·forward, is
// no worse in idle, however much the floor shortens.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_COMPARISON_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_COMPARISON_H

#include "shardsmith/Plan/BlockTable.h"

#include <span>
#include <vector>

namespace shardsmith::blocks {

class Comparison {
public:
  Comparison(BlockModels models, IdleWeights weights);

  /// Times with each way of recomputing, and memory, on one kind of device.
  static constexpr size_t plainSize = 9;
  /// The same, and idle of any schedule.
  static constexpr size_t idleSize = plainSize + 2 * recomputeChoices;
  /// Numbers that sum up.
  size_t size() const {
    return memorySize + recomputeChoices * (1 + idleKinds) * kept.size();
  }

  /// Of a part of a layout, per model.
  void set(std::span<int64_t> numbers, std::span<const UnitCosts> part) const;
  /// Times of a layout that is finished, instead of those of its parts.
  void setFinished(std::span<int64_t> numbers,
                   std::span<const UnitCosts> layout) const {
    setTimes(numbers, layout, true);
  }
  /// Of parts the largest counts.
  int64_t transient(const UnitCosts &part) const {
    return grains.ofBytes(part.transient);
  }

private:
  /// Saved bytes with each way of recomputing, parameters of three kinds.
  static constexpr size_t memorySize = recomputeChoices + 3;

  void setTimes(std::span<int64_t> numbers, std::span<const UnitCosts> costs,
                bool isFinished) const;

  Grains grains;
  IdleWeights weights;
  /// Numbers for idle, of each way of recomputing: none, or without and with
  /// the forward pass.
  size_t idleKinds;
  /// Per model, the share of a difference that is left.
  std::vector<double> kept;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_COMPARISON_H
