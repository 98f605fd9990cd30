// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/RepeatedBlocks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>

namespace shardsmith::workload {
namespace {

/// Shorter blocks than this are coincidence rather than layers.
constexpr size_t smallestBlock = 8;

class RepeatFinder {
public:
  explicit RepeatFinder(const std::vector<unsigned> &sequence)
      : sequence(sequence) {}

  std::vector<RepeatRun> run() {
    split(0, sequence.size());
    std::sort(runs.begin(), runs.end(),
              [](const RepeatRun &a, const RepeatRun &b) {
                return a.begin < b.begin;
              });
    return std::move(runs);
  }

private:
  /// Takes the longest run of [begin, end) and goes on left and right of it.
  void split(size_t begin, size_t end) {
    while (end - begin >= 2 * smallestBlock) {
      RepeatRun best = longestRun(begin, end);
      if (best.length() < 2 * std::max(best.period, smallestBlock))
        return;
      runs.push_back(best);
      split(begin, best.begin);
      begin = best.end;
    }
  }

  /// Tries the distances at which equal windows follow each other most often.
  RepeatRun longestRun(size_t begin, size_t end) const {
    RepeatRun best;
    for (size_t period : candidatePeriods(begin, end)) {
      size_t from = begin;
      for (size_t i = begin; i + period <= end; ++i) {
        bool matches = i + period < end && sequence[i] == sequence[i + period];
        if (matches)
          continue;
        // Entries [from, i) match their partners.
        RepeatRun run{from, i + period, period};
        bool isRun = i - from >= std::max(period, smallestBlock);
        if (isRun && run.length() > best.length())
          best = run;
        from = i + 1;
      }
    }
    return best;
  }

  std::vector<size_t> candidatePeriods(size_t begin, size_t end) const {
    constexpr size_t candidates = 8;
    std::unordered_map<uint64_t, size_t> lastSeen;
    std::map<size_t, size_t> votes;
    uint64_t hash = 0, power = 1;
    constexpr uint64_t base = 0x9E3779B97F4A7C15;
    for (size_t i = 0; i < smallestBlock; ++i)
      power *= base;
    for (size_t i = begin; i < end; ++i) {
      hash = hash * base + sequence[i] + 1;
      if (i >= begin + smallestBlock)
        hash -= power * (sequence[i - smallestBlock] + 1);
      if (i + 1 < begin + smallestBlock)
        continue;
      auto [entry, isNew] = lastSeen.try_emplace(hash, i);
      if (!isNew) {
        ++votes[i - entry->second];
        entry->second = i;
      }
    }
    std::vector<std::pair<size_t, size_t>> ranked;
    for (auto [distance, count] : votes)
      ranked.emplace_back(count * distance, distance);
    std::sort(ranked.rbegin(), ranked.rend());
    // The most covered positions first, and the most frequent distances.
    std::vector<size_t> periods;
    for (size_t i = 0; i < ranked.size() && i < candidates; ++i)
      periods.push_back(ranked[i].second);
    for (auto &[score, distance] : ranked)
      score = votes.at(distance);
    std::sort(ranked.rbegin(), ranked.rend());
    for (size_t i = 0; i < ranked.size() && i < candidates; ++i)
      periods.push_back(ranked[i].second);
    std::sort(periods.begin(), periods.end());
    periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
    return periods;
  }

  const std::vector<unsigned> &sequence;
  std::vector<RepeatRun> runs;
};

} // namespace

std::vector<RepeatRun> findRepeats(const std::vector<unsigned> &sequence) {
  return RepeatFinder(sequence).run();
}

std::vector<size_t> tieRepeats(const std::vector<unsigned> &sequence) {
  std::vector<size_t> tied(sequence.size());
  std::iota(tied.begin(), tied.end(), size_t(0));
  for (const RepeatRun &run : findRepeats(sequence))
    for (size_t i = run.begin; i + run.period < run.end; ++i)
      tied[i + run.period] = tied[i];
  return tied;
}

} // namespace shardsmith::workload
