// SPDX-License-Identifier: Apache-2.0
//
// Domains of which only some ranks are left. Ranges may cut domains, and leave
// out ranks in the middle of one:
//
//     domains    |a a a a|b b b b|c c c c|d d d d|
//     ranges        [                ) [        )
//     left          |a a a|b b b b|c c|c|d d d d|      c: one domain of three

#include "Domains.h"

#include <algorithm>
#include <optional>

namespace shardsmith::cluster {
namespace {

/// Domains of equal size that follow each other; `first` is the number of the
/// first one in its level.
struct Piece {
  int64_t first, count, size;
  unsigned link;
};

class Pieces {
public:
  void add(const Piece &piece) {
    if (piece.count == 0 || piece.size == 0)
      return;
    if (!pieces.empty() && pieces.back().first == piece.first)
      pieces.back().size += piece.size;
    else
      pieces.push_back(piece);
  }

  std::vector<DomainRun> runs() const {
    std::vector<DomainRun> runs;
    int64_t begin = 0, domains = 0;
    for (const Piece &piece : pieces) {
      int64_t end = begin + piece.count * piece.size;
      if (!runs.empty() && runs.back().size == piece.size &&
          runs.back().link == piece.link)
        runs.back().end = end;
      else
        runs.push_back({begin, end, piece.size, domains, piece.link});
      begin = end;
      domains += piece.count;
    }
    return runs;
  }

private:
  std::vector<Piece> pieces;
};

/// Adds the ranks [begin, end) of a run: the end of a domain, whole ones, the
/// begin of another one.
void addPart(const DomainRun &run, int64_t begin, int64_t end, Pieces &pieces) {
  auto domainOf = [&](int64_t rank) { return (rank - run.begin) / run.size; };
  auto beginOf = [&](int64_t domain) { return run.begin + domain * run.size; };
  int64_t first = domainOf(begin), last = domainOf(end);
  if (begin > beginOf(first)) {
    int64_t cut = std::min(end, beginOf(first + 1));
    pieces.add({run.domainsBefore + first, 1, cut - begin, run.link});
    if (cut == end)
      return;
    ++first;
  }
  pieces.add({run.domainsBefore + first, last - first, run.size, run.link});
  pieces.add({run.domainsBefore + last, 1, end - beginOf(last), run.link});
}

/// The new number of a rank; nothing if it is in no range.
std::optional<int64_t> newNumber(std::span<const DeviceRange> ranges,
                                 int64_t rank) {
  int64_t before = 0;
  for (const DeviceRange &range : ranges) {
    if (rank >= range.begin && rank < range.end)
      return before + rank - range.begin;
    before += range.end - range.begin;
  }
  return std::nullopt;
}

/// How many of the ranks before `rank` are in a range.
int64_t countBefore(std::span<const DeviceRange> ranges, int64_t rank) {
  int64_t count = 0;
  for (const DeviceRange &range : ranges)
    count += std::max<int64_t>(0, std::min(rank, range.end) - range.begin);
  return count;
}

} // namespace

DomainLevel levelIn(std::span<const DeviceRange> ranges,
                    const DomainLevel &level) {
  Pieces pieces;
  for (const DeviceRange &range : ranges)
    for (const DomainRun &run : level.runs) {
      int64_t begin = std::max(run.begin, range.begin);
      int64_t end = std::min(run.end, range.end);
      if (begin < end)
        addPart(run, begin, end, pieces);
    }
  return {level.name, pieces.runs(), level.links};
}

std::vector<LinkException>
exceptionsIn(std::span<const DeviceRange> ranges,
             const std::vector<LinkException> &exceptions) {
  std::vector<LinkException> left;
  for (LinkException each : exceptions) {
    if (each.wholeNode) {
      each.begin = countBefore(ranges, each.begin);
      each.end = countBefore(ranges, each.end);
      if (each.begin < each.end)
        left.push_back(each);
      continue;
    }
    std::optional<int64_t> first = newNumber(ranges, each.begin);
    std::optional<int64_t> last = newNumber(ranges, each.end - 1);
    if (!first || !last)
      continue;
    each.begin = *first;
    each.end = *last + 1;
    left.push_back(each);
  }
  return left;
}

} // namespace shardsmith::cluster
