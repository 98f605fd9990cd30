// SPDX-License-Identifier: Apache-2.0
//
// The model as the stage partition sees it: its units in the order of the
// model, where equal neighbours form segments.
//
//     units      e  l  l  l  l  l  l  h
//     segments   0  1  1  1  1  1  1  2
//     stages     [ 0     ][ 1  ][ 2    ]      pieces: one or more stages each

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Plan/Space/SearchConstraints.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardsmith::search {

/// What a pipeline rank holds in all its stages together: how many units of
/// which segments, and which segments end its stages. Two ranks with equal
/// pieces do the same work.
struct Piece {
  struct Part {
    size_t segment = 0;
    int64_t count = 0;

    auto operator<=>(const Part &) const = default;
  };
  std::vector<Part> parts;
  /// The segment of the last unit of each stage that has a successor; that
  /// unit's output is the message to the next stage.
  std::vector<size_t> senders;

  auto operator<=>(const Piece &) const = default;
};

class Chain {
public:
  /// Units that are given different choices are in different segments.
  explicit Chain(const workload::Workload &workload,
                 const SearchConstraints &constraints = {});

  int64_t units() const { return starts.back(); }
  size_t segments() const { return starts.size() - 1; }
  workload::BlockIndex blockOf(size_t segment) const { return blocks[segment]; }
  int64_t count(size_t segment) const {
    return starts[segment + 1] - starts[segment];
  }
  /// What units of the segment recompute, if that is given.
  std::optional<Recompute> given(size_t segment) const {
    return givenChoices[segment];
  }
  /// The costs of a unit of the segment as plans have them: whatever is chosen
  /// for it, it is what is given.
  UnitCosts inPlans(size_t segment, UnitCosts costs) const;
  /// The number of units of each block of the workload.
  const std::vector<int64_t> &unitsOfBlocks() const { return blockUnits; }
  int64_t begin(size_t segment) const { return starts[segment]; }
  size_t segmentOf(int64_t unit) const;
  /// Adds the units [begin, end) to the piece as a further stage.
  void addStage(Piece &piece, int64_t begin, int64_t end) const;

private:
  /// The first unit of each segment, and the number of units at the end.
  std::vector<int64_t> starts;
  std::vector<workload::BlockIndex> blocks;
  std::vector<std::optional<Recompute>> givenChoices;
  std::vector<int64_t> blockUnits;
};

/// The costs of a unit under one layout, per pool and block.
using UnitPrices = std::vector<std::vector<UnitCosts>>;

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H
