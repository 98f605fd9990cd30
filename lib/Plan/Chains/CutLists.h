// SPDX-License-Identifier: Apache-2.0
//
// The cuts of the chain into several stages per rank that the search prices one
// by one, with the pieces that ranks hold then. They depend on no layout, so
// all layouts share them.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H

#include "Chain.h"

#include "shardsmith/Strategy/Strategy.h"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace shardsmith::search {

/// The index of the segment that has at most one unit before it and at most one
/// behind it; nothing if the chain has no such segment.
std::optional<size_t> longSegment(const Chain &chain);
/// Whether only the cuts of `CutLists` are looked at.
bool areCutsListed(const Chain &chain, const Strategy &outer);

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
  /// `chain` must outlive this object.
  explicit CutLists(const Chain &chain) : chain(chain) {}

  /// All cuts if they are few, else the even cut alone; no cut if there are
  /// more stages than units. The reference stays valid.
  const CutList &of(const Strategy &outer);

private:
  const Chain &chain;
  std::mutex mutex;
  /// The key is the schedule, the pipeline degree and the stages per rank.
  std::map<std::tuple<ScheduleFamily, int64_t, int64_t>, CutList> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H
