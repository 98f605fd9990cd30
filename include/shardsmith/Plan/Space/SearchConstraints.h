// SPDX-License-Identifier: Apache-2.0
//
// What the user decides instead of the search: ranges of degrees, and which
// recomputation, schedules, ZeRO stages and context methods a plan may use. The
// default allows everything.

#ifndef SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H
#define SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H

#include "shardsmith/Strategy/Axes.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/ParameterSplits.h"

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith {

/// The degrees that a plan may have along one axis, both ends included.
struct DegreeRange {
  int64_t least = 1;
  int64_t most = std::numeric_limits<int64_t>::max();

  bool contains(int64_t degree) const {
    return least <= degree && degree <= most;
  }
  bool isFixed() const { return least == most; }
  bool operator==(const DegreeRange &) const = default;
};

inline constexpr int zeroStages = 4;

/// Everything is allowed.
template <size_t choices> constexpr std::array<bool, choices> allChoices() {
  std::array<bool, choices> all = {};
  all.fill(true);
  return all;
}

struct SearchConstraints : PerDegree<DegreeRange> {
  DegreeRange microBatch;
  /// The number of devices that a plan uses; others stay idle.
  DegreeRange devices;
  /// Whether a plan may use each choice, indexed by ZeRO stage, `Recompute`,
  /// `ScheduleFamily` and `ContextMethod`.
  std::array<bool, zeroStages> zero = allChoices<zeroStages>();
  std::array<bool, recomputeChoices> recompute = allChoices<recomputeChoices>();
  /// The choice of each unit, in the order of the chain, all of them allowed by
  /// `recompute`; empty if the search decides.
  std::vector<Recompute> unitRecompute;
  /// Whether only units with attention recompute, whatever `recompute` asks
  /// for.
  bool onlyLayersRecompute = false;
  /// The number of units of each stage, in the order of the chain; empty if the
  /// search decides.
  std::vector<int64_t> stageSizes;
  std::array<bool, scheduleFamilies> schedules = allChoices<scheduleFamilies>();
  std::array<bool, 2> contextMethods = allChoices<2>();
  /// The number of data ranks that share one copy of the model under ZeRO.
  /// `Strategy::zeroGroup` is this times the context degree.
  std::optional<int64_t> dataRanksPerCopy;
  bool sequenceParallel = true;
  /// Whether the tensor axis may split features of activations between
  /// products, and not only their positions.
  bool splitsFeatures = true;
  /// Whether every data rank has as many sequences as any other, in
  /// micro-batches that are all full, and every tensor rank as many heads.
  bool onlyEven = false;
  /// Whether a part of the data ranks may share a copy under ZeRO.
  bool zeroGroups = true;
  /// Whether the micro-batches of interleaved schedules fill all rounds.
  bool onlyWholeRounds = false;
  std::optional<std::vector<PlanAxis>> deviceOrder;
  /// How the tensor axis may split the model's parameters where they are kept;
  /// in any way if null. Constraints are equal that share one.
  std::shared_ptr<const workload::ParameterSplits> parameterSplits;

  /// Adds what a text such as
  /// `tp=8,pp=4,zero=3,schedule=1f1b,order=tp-cp-dp-pp` fixes. A degree may be
  /// a range: `tp=2..8`, `tp=..8`, `tp=2..`. On failure nothing changes, and
  /// the sentence that is returned says what is wrong.
  std::optional<std::string> fix(std::string_view text);
  /// Adds what a text such as `pp,zb-v,zero=3,recompute=full` forbids: no plan
  /// uses any of these. Failures are as in `fix`.
  std::optional<std::string> forbid(std::string_view text);

  /// What says how many units there are, and does not say `units`; empty if
  /// nothing does.
  std::string whyNotOf(int64_t units) const;
  /// Whether a pipeline of so many ranks may have the stages that are given.
  bool mayHaveRanks(int64_t pipeline) const;

  bool operator==(const SearchConstraints &) const = default;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H
