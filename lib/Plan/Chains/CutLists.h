// SPDX-License-Identifier: Apache-2.0
//
// The cuts of the chain for several stages per rank, where they are looked at
// one by one, with what each rank holds then. Layouts share them.

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
    /// Per rank its place among the pieces.
    std::vector<size_t> pieces;
  };
  std::vector<Cut> cuts;
  /// Each once.
  std::vector<Piece> pieces;
};

/// May be used by several threads.
class CutLists {
public:
  /// `chain` must outlive this.
  explicit CutLists(const Chain &chain) : chain(chain) {}

  /// All cuts if they are few, else the even ones; none if there are more
  /// stages than units. Stays where it is.
  const CutList &of(const Strategy &outer);

private:
  const Chain &chain;
  std::mutex mutex;
  /// By schedule, ranks, and stages per rank.
  std::map<std::tuple<ScheduleFamily, int64_t, int64_t>, CutList> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CUTLISTS_H
