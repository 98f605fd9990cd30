// SPDX-License-Identifier: Apache-2.0
//
// The cuts of the chain that the search prices one by one, with the pieces that
// ranks hold then: the one that the user gives, and those into several stages
// per rank. They depend on no layout, so all layouts share them.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H

#include "Chain.h"

#include "shardsmith/Strategy/Strategy.h"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace shardsmith::search {

/// The index of the segment that has at most one unit before it and at most one
/// behind it; nothing if the chain has no such segment.
std::optional<size_t> longSegment(const Chain &chain);

struct CutList {
  struct Cut {
    /// The first unit of each stage but the first.
    std::vector<int64_t> begins;
    /// For each rank the index of its piece.
    std::vector<size_t> pieces;
  };
  std::vector<Cut> cuts;
  /// Every piece that some rank holds in some cut, each once.
  std::vector<Piece> pieces;
};

/// Several threads may ask at once.
class CutLists {
public:
  /// `chain` must outlive this object. `stageSizes` are the units of each stage
  /// if the user decides that (`SearchConstraints::stageSizes`).
  explicit CutLists(const Chain &chain, std::vector<int64_t> stageSizes = {})
      : chain(chain), stageSizes(std::move(stageSizes)) {}

  /// Whether there is one cut, the user's.
  bool areGiven() const { return !stageSizes.empty(); }
  /// Whether only the cuts of `of(outer)` are looked at.
  bool areListed(const Strategy &outer) const;
  /// The cut that is given. Without one all cuts if they are few, else the even
  /// cut alone; no cut if there are more stages than units. The reference stays
  /// valid.
  const CutList &of(const Strategy &outer);

private:
  CutList listFor(const Strategy &outer) const;

  const Chain &chain;
  std::vector<int64_t> stageSizes;
  std::mutex mutex;
  /// The key is the schedule, the pipeline degree and the stages per rank.
  std::map<std::tuple<ScheduleFamily, int64_t, int64_t>, CutList> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H
