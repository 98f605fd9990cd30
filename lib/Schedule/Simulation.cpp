// SPDX-License-Identifier: Apache-2.0
//
//     rank 0  compute │ F0 │ F1 │      │ B0 │
//             to 1         │─a0─│─a1─│              a link carries one message
//     rank 1  compute           │ F0 │B0│ F1 │B1│   at a time
//             to 0                      │─g0─│─g1─│
//
// Each rank goes through its list. Kernels occupy its compute stream and hold
// the list; messages and collectives are queued on their own streams. All
// streams are servers of one clock.

#include "shardsmith/Schedule/Simulation.h"

#include "ReplayState.h"
#include "Servers.h"
#include "StepDurations.h"
#include "shardsmith/Schedule/Replay.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

class Player {
public:
  Player(const Schedule &schedule, const std::vector<StageDurations> &stages,
         const SimulationOptions &options)
      : schedule(schedule), stages(stages), durations(stages, options),
        owner(schedule.rankOfStage()), values(schedule),
        stageStates(stages.size()), rankStates(schedule.ranks.size()),
        servers(makeStreams(), options.overlapSlowdown) {
    result.ranks.resize(schedule.ranks.size());
  }

  Simulation play() {
    for (size_t rank = 0; rank < rankStates.size(); ++rank)
      advance(rank);
    while (std::optional<size_t> server = servers.finishNext())
      finish(*server);
    std::sort(result.spans.begin(), result.spans.end(),
              [](const Span &a, const Span &b) {
                return std::tie(a.rank, a.stream, a.start, a.end) <
                       std::tie(b.rank, b.stream, b.start, b.end);
              });
    return std::move(result);
  }

private:
  struct ValueState {
    std::array<bool, 3> made = {}, arrived = {};
  };
  struct StageState {
    bool gathersParameters = false, gathered = false;
    bool reducesGradients = false, reduced = false;
  };
  struct RankState {
    size_t position = 0;
    /// Messages and collectives under way.
    int communicating = 0;
    Bytes memory;
    int64_t liveUntilInput = 0, liveUntilWeight = 0;
    bool started = false;
  };
  /// A server's place in the timeline, and what waits for it.
  struct StreamState {
    int64_t rank = 0;
    Stream stream;
    std::deque<Step> waiting;
  };

  /// Compute streams first, by rank; then collectives; then links.
  size_t makeStreams() {
    size_t ranks = schedule.ranks.size();
    for (size_t rank = 0; rank < ranks; ++rank)
      streams.push_back({int64_t(rank), ComputeStream(), {}});
    for (size_t rank = 0; rank < ranks; ++rank)
      streams.push_back({int64_t(rank), CollectiveStream(), {}});
    for (size_t rank = 0; rank < ranks; ++rank)
      for (const Step &step : schedule.ranks[rank]) {
        StageState &stage = stageStates[size_t(step.action.stage)];
        stage.gathersParameters |= step.action.kind == ActionKind::Unshard;
        stage.reducesGradients |=
            step.action.kind == ActionKind::ReduceGradients;
        bool sends = step.action.kind == ActionKind::SendForward ||
                     step.action.kind == ActionKind::SendBackward;
        if (!sends)
          continue;
        std::pair<int64_t, int64_t> pair(int64_t(rank), receiver(step.action));
        if (linkOf.emplace(pair, streams.size()).second)
          streams.push_back({pair.first, SendStream{pair.second}, {}});
      }
    return streams.size();
  }

  int64_t receiver(const Action &send) const {
    int64_t stage =
        send.kind == ActionKind::SendForward ? send.stage + 1 : send.stage - 1;
    return owner[size_t(stage)];
  }
  static Value sentBy(const Action &send) {
    return {send.kind == ActionKind::SendForward ? Product::Activation
                                                 : Product::InputGradient,
            send.stage, send.microBatch};
  }

  bool isReady(const Action &action) const {
    const StageState &stage = stageStates[size_t(action.stage)];
    if (action.kind == ActionKind::Update)
      return stage.reduced || !stage.reducesGradients;
    if (stage.gathersParameters && !stage.gathered)
      return false;
    for (const Value &value : needs(action, schedule.stageCount)) {
      const ValueState &state = values.at(value.stage, value.microBatch);
      bool local = owner[size_t(value.stage)] == owner[size_t(action.stage)];
      if (!(local ? state.made : state.arrived)[size_t(value.product)])
        return false;
    }
    return true;
  }

  /// Lets the rank do what it can at this moment.
  void advance(size_t rank) {
    RankState &state = rankStates[rank];
    const std::vector<Step> &steps = schedule.ranks[rank];
    for (; !servers.isBusy(rank) && state.position < steps.size();
         ++state.position) {
      const Step &step = steps[state.position];
      const Action &action = step.action;
      bool computes =
          isCompute(action.kind) || action.kind == ActionKind::Update;
      if (computes) {
        if (!isReady(action) || (step.partner && !isReady(*step.partner)))
          return;
        compute(rank, step);
      } else if (action.kind == ActionKind::SendForward ||
                 action.kind == ActionKind::SendBackward) {
        enqueue(linkOf.at({int64_t(rank), receiver(action)}), step);
      } else if (action.kind == ActionKind::Unshard ||
                 action.kind == ActionKind::ReduceGradients) {
        enqueue(rankStates.size() + rank, step);
      } else if (action.kind == ActionKind::Reshard) {
        stageStates[size_t(action.stage)].gathered = false;
      }
    }
  }

  void compute(size_t rank, const Step &step) {
    RankState &state = rankStates[rank];
    RankTimeline &timeline = result.ranks[rank];
    if (!state.started)
      timeline.firstStart = servers.now();
    state.started = true;
    forEachAction(step, [&](const Action &action) {
      if (action.kind != ActionKind::Forward)
        return;
      const StageDurations &stage = stages[size_t(action.stage)];
      timeline.peakLiveUntilInput =
          std::max(timeline.peakLiveUntilInput, ++state.liveUntilInput);
      timeline.peakLiveUntilWeight =
          std::max(timeline.peakLiveUntilWeight, ++state.liveUntilWeight);
      hold(rank, stage.savedUntilInput + stage.savedUntilWeight);
    });
    servers.start(rank, step, durations.onComputeStream(step),
                  state.communicating > 0);
  }

  void hold(size_t rank, Bytes change) {
    RankState &state = rankStates[rank];
    RankTimeline &timeline = result.ranks[rank];
    state.memory += change;
    timeline.peakMemory = std::max(timeline.peakMemory, state.memory);
    timeline.memory.push_back({servers.now(), state.memory});
  }

  void enqueue(size_t server, const Step &step) {
    streams[server].waiting.push_back(step);
    serve(server);
  }

  void serve(size_t server) {
    StreamState &stream = streams[server];
    if (servers.isBusy(server) || stream.waiting.empty())
      return;
    Step step = stream.waiting.front();
    stream.waiting.pop_front();
    Nanoseconds duration = durations.onOtherStream(step.action);
    // What takes no time slows nobody down.
    if (duration.count() > 0)
      noteCommunication(server, +1);
    servers.start(server, step, duration, false);
  }

  void noteCommunication(size_t server, int change) {
    auto touch = [&](int64_t rank) {
      RankState &state = rankStates[size_t(rank)];
      state.communicating += change;
      servers.setSlowed(size_t(rank), state.communicating > 0);
    };
    touch(streams[server].rank);
    if (const auto *send = std::get_if<SendStream>(&streams[server].stream))
      touch(send->toRank);
  }

  void finish(size_t server) {
    const Step step = servers.job(server);
    const StreamState &stream = streams[server];
    result.spans.push_back({stream.rank, stream.stream, step,
                            servers.startOf(server), servers.now()});
    result.makespan = std::max(result.makespan, servers.now());
    auto rank = size_t(stream.rank);
    if (server < rankStates.size()) {
      finishCompute(rank, step);
      advance(rank);
      return;
    }
    if (servers.now() > servers.startOf(server))
      noteCommunication(server, -1);
    StageState &stage = stageStates[size_t(step.action.stage)];
    if (const auto *send = std::get_if<SendStream>(&stream.stream)) {
      Value value = sentBy(step.action);
      values.at(value.stage, value.microBatch).arrived[size_t(value.product)] =
          true;
      rank = size_t(send->toRank);
    } else if (step.action.kind == ActionKind::Unshard) {
      stage.gathered = true;
    } else {
      stage.reduced = true;
    }
    serve(server);
    advance(rank);
  }

  void finishCompute(size_t rank, const Step &step) {
    RankState &state = rankStates[rank];
    RankTimeline &timeline = result.ranks[rank];
    timeline.lastEnd = servers.now();
    timeline.busy += servers.now() - servers.startOf(rank);
    forEachAction(step, [&](const Action &action) {
      if (!isCompute(action.kind))
        return;
      const StageDurations &stage = stages[size_t(action.stage)];
      ValueState &made = values.at(action.stage, action.microBatch);
      for (Product product : productsOf(action.kind))
        made.made[size_t(product)] = true;
      Bytes freed;
      if (makesInputGradient(action.kind)) {
        --state.liveUntilInput;
        freed += stage.savedUntilInput;
      }
      if (makesWeightGradient(action.kind)) {
        --state.liveUntilWeight;
        freed += stage.savedUntilWeight;
      }
      hold(rank, Bytes(0) - freed);
    });
  }

  const Schedule &schedule;
  const std::vector<StageDurations> &stages;
  StepDurations durations;
  std::vector<int64_t> owner;
  PassTable<ValueState> values;
  std::vector<StageState> stageStates;
  std::vector<RankState> rankStates;
  std::map<std::pair<int64_t, int64_t>, size_t> linkOf;
  std::vector<StreamState> streams;
  Servers servers;
  Simulation result;
};

} // namespace

Nanoseconds Simulation::bubble() const {
  Nanoseconds most;
  for (const RankTimeline &rank : ranks)
    most = std::max(most, rank.idle());
  return most;
}

Nanoseconds Simulation::period() const {
  Nanoseconds longest;
  for (const RankTimeline &rank : ranks)
    longest = std::max(longest, rank.span());
  return longest;
}

std::optional<Simulation> simulate(const Schedule &schedule,
                                   const std::vector<StageDurations> &stages,
                                   std::string &error,
                                   const SimulationOptions &options) {
  error.clear();
  if (stages.size() != size_t(schedule.stageCount))
    error = fmt::format("{} stages in the schedule, durations of {}",
                        schedule.stageCount, stages.size());
  if (error.empty())
    error = checkDurations(stages, schedule.microBatchCount);
  if (error.empty() &&
      !(options.overlapSlowdown >= 1 && options.overlapSlowdown <= 8))
    error = fmt::format("the slowdown of overlapped kernels is {}; expected 1 "
                        "to 8",
                        options.overlapSlowdown);
  if (!error.empty())
    return std::nullopt;
  std::vector<std::string> findings = replay(schedule, 1);
  if (!findings.empty()) {
    error = findings.front();
    return std::nullopt;
  }
  if (schedule.hasCommunication())
    return Player(schedule, stages, options).play();
  Schedule complete = addCommunication(schedule);
  return Player(complete, stages, options).play();
}

} // namespace shardsmith::schedule
