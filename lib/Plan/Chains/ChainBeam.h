// SPDX-License-Identifier: Apache-2.0
//
// A beam search for a few good layouts of a chain whose blocks have too many
// layouts together. A model in which no two blocks are alike has a dozen blocks
// or more, and any entry of one block agrees with many entries of the next:
//
//     stem ── stage 1 ── stage 1b ── stage 2 ── …        10^12 layouts
//
// There is one search per weighting of times and memory. It decides blocks in
// the order of the chain and continues the best prefixes. Of prefixes whose
// last unit hands on the same layouts only the best is kept, so the search is
// exact for its weighting if every block occurs once and the beam is as wide as
// there are layouts to hand on.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H

#include "LayoutList.h"

namespace shardsmith::search {

class ChainBeam {
public:
  /// All arguments must outlive this object.
  ChainBeam(const workload::Workload &workload, const Chain &chain,
            const PricedTables &tables);

  /// An upper bound on the number of layouts whose neighbours agree. A block
  /// that occurs in several segments counts each time.
  double combinations() const;

  /// The layouts found, each once. A layout is given per block by the index in
  /// the table of the block.
  std::vector<std::vector<size_t>> run() const;

private:
  /// What is weighted: time, saved bytes without and with recomputation, and
  /// parameters.
  static constexpr size_t amounts = 4;
  using Amounts = std::array<double, amounts>;
  struct Beam {
    double cost = 0;
    /// The entry of each block; `open` as long as it is not decided.
    std::vector<size_t> entries;
  };
  static constexpr size_t open = ~size_t(0);

  Amounts amountsOf(size_t block, size_t entry) const;
  std::vector<Beam> run(const Amounts &weights) const;
  std::vector<Beam> bestOf(std::vector<Beam> beams, size_t segment) const;

  const workload::Workload &workload;
  const Chain &chain;
  const PricedTables &tables;
  /// Numbers of the border layouts per block and entry: equal numbers stand for
  /// equal layouts.
  std::vector<std::vector<size_t>> inputs, outputs;
  /// The last segment in which each block occurs.
  std::vector<size_t> lastSegment;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINBEAM_H
