// SPDX-License-Identifier: Apache-2.0
//
// Every rank's part of the tensor is `lanes` chunks; each lane is a collective
// by itself, with thread blocks and channels of its own, so that several
// transfers are under way on every link. Per rank and lane there is a thread
// block for each level, or several where it would have too many steps:
//
//     level 0   s rrs … rrc ─┐                        ┌─▶ s rcs … r
//     level 1                └─▶ s rrs … rrc s rcs … r ┘
//
// Chunks of an all-reduce may be handed out in any order, so that what a step
// moves is contiguous: the place of a chunk has the digit of level 0 in front.
// Parts of all-gathers and reduce-scatters lie in the order of ranks, whose
// digit of level 0 is the last one; a step moves one of them.

#include "Hierarchical.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit::msccl {
namespace {

constexpr int64_t lanes = 4;
/// Left free in every thread block. One that needs more is refused.
constexpr size_t stepsOfWaiting = 16;

/// Chunks that go around a ring together: where those of each member are.
struct Round {
  /// Of the members of the ring, and the distance between two of them.
  int64_t first = 0, stride = 1;
  int64_t count = 1;

  int64_t of(int64_t member) const { return first + member * stride; }
};

class Builder {
public:
  Builder(CollectiveOp op, std::span<const int64_t> fanouts, bool isInPlace)
      : fanouts(fanouts.begin(), fanouts.end()), op(op), isInPlace(isInPlace) {
    for (int64_t fanout : fanouts) {
      inside.push_back(ranks);
      ranks *= fanout;
    }
  }

  Algorithm build() {
    Algorithm algorithm;
    algorithm.name = fmt::format("{} {}", nameOf(op), fmt::join(fanouts, "x"));
    algorithm.op = op;
    algorithm.isInPlace = isInPlace;
    algorithm.ranks = ranks;
    algorithm.chunks = ranks * lanes;
    setSizes(algorithm);
    algorithm.programOf = [builder = *this](int64_t number) {
      Builder one = builder;
      one.rank = number;
      return one.programOfRank();
    };
    return algorithm;
  }

private:
  bool reduces() const { return op != CollectiveOp::AllGather; }
  bool gathers() const { return op != CollectiveOp::ReduceScatter; }
  size_t outermost() const { return fanouts.size() - 1; }
  int64_t digit(size_t level) const {
    return rank / inside[level] % fanouts[level];
  }

  void setSizes(Algorithm &algorithm) const {
    switch (op) {
    case CollectiveOp::AllGather:
      algorithm.inputChunks = isInPlace ? 0 : lanes;
      algorithm.outputChunks = ranks * lanes;
      break;
    case CollectiveOp::ReduceScatter:
      algorithm.inputChunks = ranks * lanes;
      algorithm.outputChunks = isInPlace ? 0 : lanes;
      if (fanouts.size() > 1)
        algorithm.scratchChunks = ranks / fanouts[0] * lanes;
      break;
    default:
      algorithm.inputChunks = ranks * lanes;
      algorithm.outputChunks = isInPlace ? 0 : ranks * lanes;
    }
  }

  /// What this rank sends around the ring of a level.
  std::vector<Round> roundsOf(size_t level, int64_t lane) const {
    std::vector<Round> rounds;
    if (op == CollectiveOp::AllReduce) {
      int64_t first = lane * ranks, size = ranks;
      for (size_t inner = 0; inner < level; ++inner) {
        size /= fanouts[inner];
        first += digit(inner) * size;
      }
      size /= fanouts[level];
      for (int64_t done = 0; done < size; done += mostChunksPerStep)
        rounds.push_back(
            {first + done, size, std::min(mostChunksPerStep, size - done)});
      return rounds;
    }
    int64_t below = rank % inside[level];
    int64_t step = inside[level] * fanouts[level];
    for (int64_t above = 0; above < ranks; above += step)
      rounds.push_back({(below + above) * lanes + lane, inside[level] * lanes});
    return rounds;
  }

  /// Where a reduce-scatter reads what it adds to, and where it puts the sums
  /// of a chunk.
  Chunks summand(size_t level, int64_t chunk) const {
    if (level == 0)
      return {'i', chunk};
    return partialSum(chunk);
  }
  Chunks sum(size_t level, int64_t chunk) const {
    if (op == CollectiveOp::AllReduce || level < outermost())
      return partialSum(chunk);
    return isInPlace ? Chunks{'i', chunk} : Chunks{'o', chunk % lanes};
  }
  Chunks partialSum(int64_t chunk) const {
    if (op == CollectiveOp::AllReduce)
      return {isInPlace ? 'i' : 'o', chunk};
    // Only the parts of ranks with this rank's place inside.
    return {'s', chunk / lanes / fanouts[0] * lanes + chunk % lanes};
  }
  Chunks gathered(int64_t chunk) const {
    bool isInput = op == CollectiveOp::AllReduce && isInPlace;
    return {isInput ? 'i' : 'o', chunk};
  }

  int64_t member(size_t level, int64_t offset) const {
    int64_t fanout = fanouts[level];
    return ((digit(level) + offset) % fanout + fanout) % fanout;
  }
  int64_t neighbour(size_t level, int64_t offset) const {
    return rank + (member(level, offset) - digit(level)) * inside[level];
  }

  /// Once around: each member ends up with the sum of its own chunks.
  void addReduceScatter(ThreadBlock &block, size_t level, const Round &round) {
    int64_t fanout = fanouts[level];
    for (int64_t t = 0; t < fanout; ++t) {
      int64_t chunk = round.of(member(level, -1 - t));
      StepType type = t == 0           ? StepType::Send
                      : t < fanout - 1 ? StepType::ReduceSend
                                       : StepType::Reduce;
      Chunks from = summand(level, chunk);
      Chunks to = t < fanout - 1 ? from : sum(level, chunk);
      block.steps.push_back({type, from, to, round.count, {}});
    }
  }

  /// Once around: each member ends up with the chunks of all.
  void addAllGather(ThreadBlock &block, size_t level, const Round &round) {
    int64_t fanout = fanouts[level];
    for (int64_t t = 0; t < fanout; ++t) {
      Chunks chunks = gathered(round.of(member(level, -t)));
      StepType type = t == 0           ? StepType::Send
                      : t < fanout - 1 ? StepType::ReceiveSend
                                       : StepType::Receive;
      block.steps.push_back({type, chunks, chunks, round.count, {}});
    }
  }

  /// The thread blocks of a level and a lane, still empty, and which rounds
  /// each of them does.
  struct LevelBlocks {
    size_t first = 0;
    std::vector<std::vector<Round>> rounds;
  };

  LevelBlocks makeBlocks(RankProgram &program, size_t level, int64_t lane) {
    std::vector<Round> rounds = roundsOf(level, lane);
    size_t phases = reduces() && gathers() ? 2 : 1;
    size_t perBlock = std::max<size_t>(
        (mostSteps - stepsOfWaiting) / (size_t(fanouts[level]) * phases), 1);
    size_t count = (rounds.size() + perBlock - 1) / perBlock;
    LevelBlocks blocks{program.size(), std::vector<std::vector<Round>>(count)};
    for (size_t i = 0; i < rounds.size(); ++i)
      blocks.rounds[i % count].push_back(rounds[i]);
    for (size_t i = 0; i < count; ++i) {
      ThreadBlock block;
      block.sendsTo = neighbour(level, 1);
      block.receivesFrom = neighbour(level, -1);
      block.channel = lane * int64_t(count) + int64_t(i);
      program.push_back(block);
    }
    return blocks;
  }

  /// The next step of a block waits for the last steps so far of others.
  void wait(RankProgram &program, size_t block, const LevelBlocks &others) {
    for (size_t i = 0; i < others.rounds.size(); ++i) {
      std::vector<Step> &awaited = program[others.first + i].steps;
      awaited.back().isAwaited = true;
      Step step;
      step.count = 0;
      step.after = StepName{others.first + i, awaited.size() - 1};
      program[block].steps.push_back(step);
    }
  }

  RankProgram programOfRank() {
    RankProgram program;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      std::vector<LevelBlocks> levels;
      for (size_t level = 0; level < fanouts.size(); ++level)
        levels.push_back(makeBlocks(program, level, lane));
      auto addPhase = [&](size_t level, const LevelBlocks *before, auto add) {
        for (size_t i = 0; i < levels[level].rounds.size(); ++i) {
          size_t number = levels[level].first + i;
          if (before)
            wait(program, number, *before);
          for (const Round &round : levels[level].rounds[i])
            (this->*add)(program[number], level, round);
        }
      };
      if (reduces())
        for (size_t level = 0; level < fanouts.size(); ++level)
          addPhase(level, level > 0 ? &levels[level - 1] : nullptr,
                   &Builder::addReduceScatter);
      else if (!isInPlace)
        program[levels[outermost()].first].steps.push_back(
            {StepType::Copy, {'i', lane}, {'o', rank * lanes + lane}, 1, {}});
      if (gathers())
        for (size_t level = fanouts.size(); level-- > 0;)
          addPhase(level, level < outermost() ? &levels[level + 1] : nullptr,
                   &Builder::addAllGather);
    }
    return program;
  }

  std::vector<int64_t> fanouts;
  CollectiveOp op;
  bool isInPlace;
  int64_t ranks = 1;
  /// Members of a domain inside each level.
  std::vector<int64_t> inside;
  /// Whose program is made.
  int64_t rank = 0;
};

} // namespace

Algorithm hierarchical(CollectiveOp op, std::span<const int64_t> fanouts,
                       bool isInPlace) {
  return Builder(op, fanouts, isInPlace).build();
}

} // namespace shardsmith::emit::msccl
