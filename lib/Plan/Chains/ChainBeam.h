// SPDX-License-Identifier: Apache-2.0
//
// A few good layouts of a chain whose blocks have too many together. A model
// in which no block is like another has a dozen blocks or more, and any entry
// of one goes with many of the next:
//
//     stem ── stage 1 ── stage 1b ── stage 2 ── …        10^12 layouts
//
// For each weighting of times and memory blocks are decided in the order of the
// chain. Of the layouts that hand on the same only the best one is gone on
// with, and of these so many at most; so nothing is lost in a chain whose
// blocks occur once, unless there are more ways to hand on than that.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H

#include "LayoutList.h"

namespace shardsmith::search {

class ChainBeam {
public:
  /// All must outlive this.
  ChainBeam(const workload::Workload &workload, const Chain &chain,
            const PricedTables &tables);

  /// Layouts whose neighbours agree, at most; blocks that occur several times
  /// count each time.
  double combinations() const;

  /// Per layout and block, the place in the block's table. Each once.
  std::vector<std::vector<size_t>> run() const;

private:
  /// Weights of time, of saved bytes without and with recomputation, and of
  /// parameters.
  static constexpr size_t amounts = 4;
  using Amounts = std::array<double, amounts>;
  struct Beam {
    double cost = 0;
    /// Per block; `open` if it is not decided.
    std::vector<size_t> entries;
  };
  static constexpr size_t open = ~size_t(0);

  Amounts amountsOf(size_t block, size_t entry) const;
  std::vector<Beam> run(const Amounts &weights) const;
  std::vector<Beam> bestOf(std::vector<Beam> beams, size_t segment) const;

  const workload::Workload &workload;
  const Chain &chain;
  const PricedTables &tables;
  /// Per block and entry: numbers of what is taken and handed on, the same
  /// where it is alike.
  std::vector<std::vector<size_t>> inputs, outputs;
  /// Per block, the last segment it occurs in.
  std::vector<size_t> lastSegment;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H
