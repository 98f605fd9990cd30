// SPDX-License-Identifier: Apache-2.0
//
// The model as the stage partition sees it: units in a row, equal neighbours
// in segments, with prices per kind of device.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H

#include "shardsmith/Cost/Units/UnitCosts.h"

#include <cstdint>
#include <vector>

namespace shardsmith::search {

/// What a pipeline rank holds: units per segment, and in which stage order
/// they hand on. Two ranks with equal pieces do the same work.
struct Piece {
  struct Part {
    size_t segment = 0;
    int64_t count = 0;

    auto operator<=>(const Part &) const = default;
  };
  std::vector<Part> parts;
  /// Per stage that has a successor: the segment of its last unit.
  std::vector<size_t> senders;

  auto operator<=>(const Piece &) const = default;
};

class Chain {
public:
  explicit Chain(const workload::Workload &workload);

  int64_t units() const { return starts.back(); }
  size_t segments() const { return starts.size() - 1; }
  workload::BlockIndex blockOf(size_t segment) const { return blocks[segment]; }
  int64_t count(size_t segment) const {
    return starts[segment + 1] - starts[segment];
  }
  /// Units of each block of the workload.
  const std::vector<int64_t> &unitsOfBlocks() const { return blockUnits; }
  int64_t begin(size_t segment) const { return starts[segment]; }
  size_t segmentOf(int64_t unit) const;
  /// Adds units [begin, end) as a further stage.
  void addStage(Piece &piece, int64_t begin, int64_t end) const;

private:
  /// Per segment, and one past the last.
  std::vector<int64_t> starts;
  std::vector<workload::BlockIndex> blocks;
  std::vector<int64_t> blockUnits;
};

/// Per pool and block.
using UnitPrices = std::vector<std::vector<UnitCosts>>;

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAIN_H
