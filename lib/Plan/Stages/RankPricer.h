// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline rank costs if it holds a given piece of the chain, with the
// cheapest recomputation that fits its memory. Equal pieces on equal ranks are
// priced once.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_RANKPRICER_H
#define SHARDSMITH_LIB_PLAN_STAGES_RANKPRICER_H

#include "../Chains/Chain.h"
#include "../Chains/RecomputeMix.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace shardsmith::search {

/// The price of a rank with a piece; the times count only if it fits.
struct RankOption {
  bool fits = false;
  /// Whether no piece that contains this one fits the rank either.
  bool isHopeless = false;
  Nanoseconds perMicroBatch, idle, tail;
};

class RankPricer {
public:
  /// All arguments must outlive this object.
  RankPricer(const StepModel &model, const PipelineLinks &links,
             const Chain &chain, const UnitPrices &prices,
             RecomputeMask allowed);

  /// The price of a piece. Equal pieces have equal keys; `makePiece()` is
  /// called only if the key is new.
  template <typename MakePiece>
  const RankOption &option(int64_t rank, unsigned pool, uint64_t key,
                           MakePiece makePiece) {
    auto [entry, isNew] = bases.try_emplace({links.placeOf(rank), key});
    if (isNew)
      entry->second = baseOf(rank, pool, makePiece());
    return priced(rank, pool, entry->second).option;
  }
  /// Likewise, for a piece that has no key.
  const RankOption &option(int64_t rank, unsigned pool, const Piece &piece) {
    return priced(rank, pool, knownBaseOf(rank, pool, piece)).option;
  }
  /// A lower bound on the time per micro-batch of the rank with any piece that
  /// contains this one; saturated if none of these fits.
  template <typename MakePiece>
  Nanoseconds least(int64_t rank, unsigned pool, uint64_t key,
                    MakePiece makePiece) {
    auto [entry, isNew] = bases.try_emplace({links.placeOf(rank), key});
    if (isNew)
      entry->second = baseOf(rank, pool, makePiece());
    return least(rank, pool, entry->second);
  }
  /// The recomputation mix behind `option`, which must fit.
  const RecomputeMix &mix(int64_t rank, unsigned pool, const Piece &piece) {
    return priced(rank, pool, knownBaseOf(rank, pool, piece)).mix.value();
  }

private:
  struct Priced {
    RankOption option;
    /// Nothing if the piece does not fit.
    std::optional<RecomputeMix> mix;
  };
  /// Everything about a piece that is the same for all ranks of one place
  /// (`PipelineLinks::placeOf`).
  struct Base {
    std::vector<UnitGroup> groups;
    /// The work of the piece without saved bytes and recomputation.
    StageWork work;
    RankTimes times;
    /// The mix in which every unit has its fastest choice.
    RecomputeMix fastest;
    /// The prices found so far, by rank.
    std::vector<std::optional<Priced>> pricedBy;
  };
  const UnitCosts &unitOf(unsigned pool, size_t segment) const;
  Base baseOf(int64_t rank, unsigned pool, const Piece &piece) const;
  Base &knownBaseOf(int64_t rank, unsigned pool, const Piece &piece);
  static Base withoutMessage(const Base &base);
  const Priced &priced(int64_t rank, unsigned pool, Base &base) const;
  Nanoseconds least(int64_t rank, unsigned pool, const Base &base) const;
  Bytes memory(int64_t rank, unsigned pool, const Base &base, Bytes saved,
               Bytes transient) const;
  std::optional<RecomputeMix> mixOf(int64_t rank, unsigned pool,
                                    const Base &base) const;
  Priced price(int64_t rank, unsigned pool, const Base &base) const;

  const StepModel &model;
  const PipelineLinks &links;
  const Chain &chain;
  const UnitPrices &prices;
  /// The costs of units of each segment whose choice is given, per pool.
  std::vector<std::map<size_t, UnitCosts>> givenPrices;
  RecomputeMask allowed;
  struct Hash {
    size_t operator()(const std::pair<size_t, uint64_t> &key) const {
      return std::hash<uint64_t>()((key.second + key.first) *
                                   0x9e3779b97f4a7c15u);
    }
  };
  /// By place and key, and by place and piece.
  std::unordered_map<std::pair<size_t, uint64_t>, Base, Hash> bases;
  std::map<std::pair<size_t, Piece>, Base> basesOfPieces;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_RANKPRICER_H
