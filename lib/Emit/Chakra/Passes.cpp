// SPDX-License-Identifier: Apache-2.0

#include "Passes.h"

#include "shardsmith/Cost/Paths/PipelineLinks.h"
#include "shardsmith/Cost/Step/StepModel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace shardsmith::emit::chakra {
namespace {

Nanoseconds partOf(Nanoseconds time, double share) {
  if (time.isSaturated())
    return time;
  return Nanoseconds(std::llround(double(time.count()) * share));
}

/// Kernels of a pass of one unit.
struct Kernels {
  Nanoseconds time;
  double operations = 0, tensorBytes = 0;
};

void addKernels(Pieces &pieces, const Kernels &kernels) {
  if (kernels.time.count() <= 0 && kernels.operations <= 0)
    return;
  if (pieces.empty() || pieces.back().type != NodeType::Compute)
    pieces.emplace_back();
  Piece &last = pieces.back();
  last.time += kernels.time;
  last.operations += kernels.operations;
  last.tensorBytes += kernels.tensorBytes;
}

/// Collectives of the format. A ring along which every rank passes on what it
/// gets is what an all-gather does.
CollectiveType typeOf(CollectiveOp op) {
  switch (op) {
  case CollectiveOp::AllReduce:
    return CollectiveType::AllReduce;
  case CollectiveOp::ReduceScatter:
    return CollectiveType::ReduceScatter;
  case CollectiveOp::AllToAll:
    return CollectiveType::AllToAll;
  case CollectiveOp::AllGather:
  case CollectiveOp::SendReceive:
    break;
  }
  return CollectiveType::AllGather;
}

/// `bytes` as `CollectiveTimes` counts them.
Piece collectivePiece(std::string_view axis, CollectiveOp op, Bytes bytes,
                      int64_t members, size_t grouping) {
  Piece piece;
  piece.type = NodeType::Collective;
  piece.name = fmt::format(
      "{} {}", axis, op == CollectiveOp::SendReceive ? "ring" : nameOf(op));
  piece.collective = typeOf(op);
  // The simulator takes what one member has.
  piece.messageBytes = op == CollectiveOp::AllGather
                           ? Bytes(ceilDivide(bytes.count(), members))
                           : bytes;
  piece.grouping = grouping;
  return piece;
}

class PassWriter {
public:
  PassWriter(const CostContext &context, const Strategy &strategy,
             RankGroups &groups)
      : context(context), strategy(strategy), groups(groups), members(strategy),
        pool(strategy.stages.front().pool),
        pools(size_t(strategy.pipeline), pool),
        units(unitPrices(context, strategy, pool)),
        exchanges(unitExchanges(context, strategy, pool)),
        model(context, strategy), links(context.topology, strategy, pools) {}

  StepPasses write() {
    StepPasses passes;
    for (size_t s = 0; s < strategy.stages.size(); ++s)
      passes.stages.push_back(passesOfStage(s));
    addShared(passes);
    return passes;
  }

private:
  Piece unitPiece(const UnitExchange &exchange) {
    const char *axis = unitAxes<int>[size_t(exchange.axis)].first;
    size_t grouping = groups.add(axis, [&](int64_t rank) {
      return members.ofUnit(rank, exchange.axis);
    });
    Piece piece = collectivePiece(
        axis, exchange.op, exchange.bytes,
        int64_t(members.ofUnit(0, exchange.axis).size()), grouping);
    piece.time = exchange.time;
    return piece;
  }

  Piece stepPiece(const StepExchange &exchange) {
    if (!exchange.group) {
      size_t grouping = groups.add("tensor", [&](int64_t rank) {
        return members.ofUnit(rank, UnitAxis::Tensor);
      });
      return collectivePiece("tensor", exchange.op, exchange.bytes,
                             strategy.tensor, grouping);
    }
    auto [inner, size] = *exchange.group;
    size_t grouping = groups.add(
        fmt::format("replicas {} {}", inner, size),
        [&](int64_t rank) { return members.replicas(rank, inner, size); });
    return collectivePiece("data", exchange.op, exchange.bytes, size, grouping);
  }

  /// Kernels with the exchanges in between, whose times are multiplied by
  /// `scale`.
  void addPass(Pieces &pieces, const std::vector<UnitExchange> &list,
               const Kernels &kernels, double scale = 1) {
    double done = 0;
    Nanoseconds timeDone;
    auto kernelsUpTo = [&](double share) {
      Nanoseconds time = partOf(kernels.time, share);
      addKernels(pieces, {time - timeDone, kernels.operations * (share - done),
                          kernels.tensorBytes * (share - done)});
      done = share;
      timeDone = time;
    };
    for (const UnitExchange &exchange : list) {
      kernelsUpTo(std::max(done, exchange.behind));
      pieces.push_back(unitPiece(exchange));
      pieces.back().time = partOf(exchange.time, scale);
    }
    kernelsUpTo(1);
  }

  /// The forward pass again, before the backward pass of a unit.
  void addRecompute(Pieces &pieces, const UnitCosts &unit,
                    const UnitExchanges &all, Recompute choice) {
    Nanoseconds time = unit.recompute[size_t(choice)];
    if (time.count() <= 0)
      return;
    std::vector<UnitExchange> again;
    Nanoseconds exchanged;
    for (const UnitExchange &exchange : all.forward)
      if (exchange.isRepeated[size_t(choice)]) {
        again.push_back(exchange);
        exchanged += exchange.time;
      }
    // Launches that the unit has waited for anyway hide some of it.
    double scale = exchanged <= time
                       ? 1
                       : double(time.count()) / double(exchanged.count());
    Nanoseconds kernels = std::max(time - exchanged, Nanoseconds());
    double forward = std::max(1.0, double(unit.forward.count()));
    double share = std::min(1.0, double(kernels.count()) / forward);
    addPass(pieces, again,
            {kernels, all.forwardOperations * share, all.forwardBytes * share},
            scale);
  }

  /// `time`: which kernels; each half has as many operations as the forward
  /// pass.
  Pieces backwardPass(const Stage &stage, int halves,
                      Nanoseconds (*time)(const UnitCosts &)) {
    Pieces pieces;
    for (int64_t unit = stage.end; unit-- > stage.begin;) {
      size_t block = blockOf(unit);
      const UnitExchanges &all = exchanges[block];
      addRecompute(pieces, units[block], all,
                   stage.recompute[size_t(unit - stage.begin)]);
      addPass(pieces, all.backward,
              {time(units[block]), all.forwardOperations * halves,
               all.forwardBytes * halves});
    }
    return pieces;
  }

  size_t blockOf(int64_t unit) const {
    const workload::Workload &workload = context.workload;
    return workload.segments[workload.segmentOf(unit)].block;
  }

  StagePasses passesOfStage(size_t number) {
    const Stage &stage = strategy.stages[number];
    StageWork work = workOf(context.workload, stage, units);
    RankTimes times = model.times(pool, work, {});
    StagePasses passes;
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      size_t block = blockOf(unit);
      const UnitExchanges &all = exchanges[block];
      addPass(passes.forward, all.forward,
              {units[block].forward, all.forwardOperations, all.forwardBytes});
    }
    passes.backward = backwardPass(stage, 2, [](const UnitCosts &unit) {
      return unit.backwardInput + unit.backwardWeight;
    });
    passes.backwardInput = backwardPass(
        stage, 1, [](const UnitCosts &unit) { return unit.backwardInput; });
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      size_t block = blockOf(unit);
      addKernels(passes.backwardWeight, {units[block].backwardWeight,
                                         exchanges[block].forwardOperations,
                                         exchanges[block].forwardBytes});
    }
    addKernels(passes.update, {times.optimizer});
    addReplicaExchanges(work, times, passes);
    if (number + 1 < strategy.stages.size()) {
      passes.sent = work.outputBytes;
      passes.sending =
          model.messageTime({work.outputBytes, links.ofStage(number)});
    }
    return passes;
  }

  void addReplicaExchanges(const StageWork &work, const RankTimes &times,
                           StagePasses &passes) {
    std::vector<StepExchange> list = model.exchanges(pool, work);
    // What shows of all exchanges is divided among them by their times.
    auto shown = [&](const StepExchange &exchange) {
      Nanoseconds all,
          of = exchange.isPerMicroBatch() ? times.gather : times.data;
      for (const StepExchange &other : list)
        if (other.isPerMicroBatch() == exchange.isPerMicroBatch())
          all += other.time;
      return partOf(of, all.count() > 0 ? double(exchange.time.count()) /
                                              double(all.count())
                                        : 0);
    };
    Pieces beforeForward, beforeBackward;
    for (const StepExchange &exchange : list) {
      Piece piece = stepPiece(exchange);
      piece.time = shown(exchange);
      switch (exchange.when) {
      case StepExchange::When::BeforeForward:
        beforeForward.push_back(piece);
        break;
      case StepExchange::When::BeforeBackward:
        beforeBackward.push_back(piece);
        break;
      case StepExchange::When::BehindBackward:
        passes.backward.push_back(piece);
        passes.backwardWeight.push_back(piece);
        break;
      case StepExchange::When::BeforeUpdate:
        passes.reduce.push_back(piece);
        break;
      case StepExchange::When::BehindUpdate:
        passes.update.push_back(piece);
        break;
      }
    }
    auto putBefore = [](Pieces &pass, const Pieces &pieces) {
      pass.insert(pass.begin(), pieces.begin(), pieces.end());
    };
    putBefore(passes.forward, beforeForward);
    putBefore(passes.backward, beforeBackward);
    putBefore(passes.backwardInput, beforeBackward);
  }

  /// Pipeline ranks that hold the same parameters, and the most that one of
  /// them holds.
  std::map<std::set<int64_t>, SharedHolding>
  sharedHoldings(const std::vector<RankWork> &ranks) const {
    std::map<unsigned, std::pair<std::set<int64_t>, SharedHolding>> byGroup;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      for (const SharedHolding &each : ranks[rank].sum.heldWithOthers()) {
        auto &[holders, most] = byGroup[each.group];
        holders.insert(int64_t(rank));
        most.dense = std::max(most.dense, each.dense);
        most.expert = std::max(most.expert, each.expert);
      }
    std::map<std::set<int64_t>, SharedHolding> byRanks;
    for (const auto &[group, held] : byGroup) {
      const auto &[holders, most] = held;
      if (holders.size() < 2)
        continue;
      SharedHolding &sum = byRanks[holders];
      addParameters(sum.dense, most.dense);
      addParameters(sum.expert, most.expert);
    }
    return byRanks;
  }

  /// Gradients are summed up by all holders; or go to the first one, which
  /// sends back new values.
  void addShared(StepPasses &passes) {
    passes.shared.resize(size_t(strategy.pipeline));
    std::vector<RankWork> ranks =
        workOfRanks(context.workload, strategy, pools, links,
                    std::vector(size_t(pool) + 1, units));
    auto byRanks = sharedHoldings(ranks);
    bool isOnce = context.profile.sharedUpdatesOnce;
    std::vector<double> bytesOfRank(ranks.size());
    for (const auto &[holders, held] : byRanks)
      for (int64_t rank : holders)
        bytesOfRank[size_t(rank)] += bytesAmong(holders, held, isOnce);
    auto timed = [&](int64_t rank, Piece piece, double bytes) {
      const StageWork &work = ranks[size_t(rank)].sum;
      double all = std::max(bytesOfRank[size_t(rank)], 1.0);
      piece.time =
          partOf(model.sharedExchange(work, links.slowest()), bytes / all);
      return piece;
    };
    int64_t number = 0;
    for (const auto &[holders, held] : byRanks) {
      auto [gradients, values] = model.sharedBytes(held);
      if (!isOnce) {
        Piece sum = sharedSum(holders, gradients);
        for (int64_t rank : holders)
          passes.shared[size_t(rank)].before.push_back(
              timed(rank, sum, bytesAmong(holders, held, isOnce)));
        continue;
      }
      auto message = [&](int64_t from, int64_t to, Bytes bytes,
                         Pieces SharedPieces::*when) {
        Piece piece;
        piece.type = NodeType::Send;
        piece.name = "shared send";
        piece.messageBytes = bytes;
        piece.peer = to;
        piece.number = number++;
        (passes.shared[size_t(from)].*when)
            .push_back(timed(from, piece, double(bytes.count())));
        piece.type = NodeType::Receive;
        piece.name = "shared receive";
        piece.peer = from;
        (passes.shared[size_t(to)].*when).push_back(piece);
      };
      int64_t first = *holders.begin();
      for (int64_t rank : holders)
        if (rank != first) {
          message(rank, first, gradients, &SharedPieces::before);
          message(first, rank, values, &SharedPieces::behind);
        }
    }
  }

  double bytesAmong(const std::set<int64_t> &holders, const SharedHolding &held,
                    bool isOnce) const {
    auto [gradients, values] = model.sharedBytes(held);
    double each = isOnce ? double(gradients.count()) + double(values.count())
                         : double(gradients.count());
    return isOnce ? each * double(holders.size() - 1) : each;
  }

  Piece sharedSum(const std::set<int64_t> &holders, Bytes gradients) {
    size_t grouping = groups.add(
        fmt::format("pipeline {}", fmt::join(holders, " ")), [&](int64_t rank) {
          std::vector<int64_t> ranks;
          if (holders.count(members.place(rank, PlanAxis::Pipeline)))
            for (int64_t place : holders)
              ranks.push_back(members.moved(rank, PlanAxis::Pipeline, place));
          return ranks;
        });
    return collectivePiece("shared", CollectiveOp::AllReduce, gradients,
                           int64_t(holders.size()), grouping);
  }

  const CostContext &context;
  const Strategy &strategy;
  RankGroups &groups;
  GroupMembers members;
  unsigned pool;
  /// Of each pipeline rank.
  std::vector<unsigned> pools;
  /// By block.
  std::vector<UnitCosts> units;
  std::vector<UnitExchanges> exchanges;
  StepModel model;
  PipelineLinks links;
};

} // namespace

StepPasses passesOf(const CostContext &context, const Strategy &strategy,
                    RankGroups &groups) {
  return PassWriter(context, strategy, groups).write();
}

} // namespace shardsmith::emit::chakra
