// SPDX-License-Identifier: Apache-2.0
//
// Ranks that wait for what ZeRO exchanges with every micro-batch, because their
// kernels are too short to hide it. With kernels c, other communication m,
// messages q between stages, exchange X, and the share s of it that is never
// hidden, a rank's micro-batch takes
//
//     max(c + m + s · X, m + X) + q
//
// A layout L that is in no list has one in the list, K, that is no worse in
// c + m, in parameters and in all memory. So L can only be the faster one where
// a rank of K waits: it takes m + X + q, and that is more than what a step
// within the limit has for a micro-batch,
//
//     W = (work - bubble - tail) / M,        all of K
//
// while c + m + s · X + q <= W, as L's micro-batch, which takes no less, is
// within W. W has bounds of its own: L's micro-batch takes at least what every
// layout's does, and the bubble at most a / v micro-batches (IdleWeights.h), or
// twice that where messages are hidden, so
//
//     W >= (work - most tail) / (M + a / v)
//
// A rank that computes no longer than work / M per micro-batch holds few units,
// and their parameters bound its tail. What is left is a knapsack of units b,
// parts of units included:
//
//     most  Σ units · (m + X)      Σ units · ((1 - s) · X - c) >= 0

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_EXPOSEDEXCHANGE_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_EXPOSEDEXCHANGE_H

#include "../Chains/Chain.h"
#include "../Chains/LayoutList.h"

#include "shardsmith/Cost/Step/StepModel.h"

namespace shardsmith::search {

class ExposedExchange {
public:
  /// With the layouts of a list. `neverHidden`: s.
  ExposedExchange(const LayoutList &known, const Chain &chain, unsigned pools,
                  double neverHidden);

  /// Messages of a rank of this pipeline at most.
  Nanoseconds mostHandedOn(const StepModel &model, const Strategy &outer,
                           const PipelineLinks &links) const;
  /// What a rank exchanges with others at most because they hold some of its
  /// parameters as well.
  Nanoseconds mostShared(const StepModel &model,
                         const PipelineLinks &links) const;
  /// Whether some rank may wait so long that a step is above `most`, although
  /// with a layout that is not in the list it would not be. `least`: what every
  /// layout has. `handedOn`, `shared`: of a rank at most, as above.
  bool mayExceed(Nanoseconds most, const StepModel &model,
                 const Strategy &outer, const StepModel::Totals &least,
                 Nanoseconds handedOn, Nanoseconds shared) const;

private:
  /// Of a block on one kind of device, each over all of its layouts.
  struct Units {
    double count = 0;
    double kernels = 0, time = 0, communication = 0;
    StageWork parameters;
    /// Of each group, the largest part that a unit has.
    std::vector<SharedParameters> shared;
  };

  /// m + X on a rank of this kind that has time for so much, with whatever
  /// kernels leave of X unhidden.
  double mostWait(const StepModel &model, unsigned pool,
                  double perMicroBatch) const;
  Nanoseconds mostTail(const StepModel &model, unsigned pool,
                       double perMicroBatch) const;

  double neverHidden;
  /// Per pool and block.
  std::vector<std::vector<Units>> unitsOn;
  Bytes mostOutput;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_EXPOSEDEXCHANGE_H
