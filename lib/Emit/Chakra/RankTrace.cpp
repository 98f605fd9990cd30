// SPDX-License-Identifier: Apache-2.0

#include "RankTrace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace shardsmith::emit::chakra {
namespace {

using schedule::Action;
using schedule::ActionKind;
using schedule::RankAction;

/// Whole microseconds whose sum is never further from that of the times than
/// half a one.
class Clock {
public:
  uint64_t next(Nanoseconds time) {
    constexpr double perMicrosecond = 1000;
    exact += double(time.count());
    double rounded = std::round(exact / perMicrosecond);
    double length = std::max(rounded - written, 0.0);
    written += length;
    return uint64_t(std::min(length, 9.2e18));
  }

private:
  double exact = 0, written = 0;
};

bool isForward(ActionKind kind) {
  return kind == ActionKind::Forward || kind == ActionKind::SendForward ||
         kind == ActionKind::ReceiveForward;
}

class RankWriter {
public:
  RankWriter(const StepTrace &step, int64_t rank, const TextSink &sink)
      : step(step), rank(rank), place(step.placeOf(rank)), writer(sink) {}

  void run() {
    const auto &actions = step.actions[size_t(place)];
    for (const RankAction &action : actions)
      perform(action);
    afterUpdates();
    if (step.rest.count() > 0)
      last = {compute("rest of the step", step.rest, last)};
  }

private:
  using Ids = std::vector<uint64_t>;
  /// A pass, or a message, by what it is of.
  using Key = std::tuple<bool, int64_t, int64_t>;
  static Key keyOf(const Action &action) {
    return {isForward(action.kind), action.stage, action.microBatch};
  }

  void perform(const RankAction &entry) {
    const Action &action = entry.step.action;
    if (isCompute(action.kind))
      return runPasses(entry.step);
    if (entry.message)
      return exchangeMessage(action, *entry.message);
    if (action.kind == ActionKind::ReduceGradients)
      return reduce(action);
    if (action.kind == ActionKind::Update)
      update(action);
  }

  const StagePasses &stage(const Action &action) const {
    return step.passes.stages[size_t(action.stage)];
  }

  const Pieces &piecesOf(const Action &pass) const {
    const StagePasses &all = stage(pass);
    return pass.kind == ActionKind::Forward         ? all.forward
           : pass.kind == ActionKind::Backward      ? all.backward
           : pass.kind == ActionKind::BackwardInput ? all.backwardInput
                                                    : all.backwardWeight;
  }

  void runPasses(const schedule::Step &passes) {
    Ids ends;
    auto run = [&](const Action &pass) {
      Ids before = last;
      // The other half of a backward pass needs nothing from elsewhere.
      auto arrived = received.find(keyOf(pass));
      if (arrived != received.end()) {
        before.push_back(arrived->second);
        received.erase(arrived);
      }
      uint64_t end = chain(str(pass), piecesOf(pass), before);
      ends.push_back(end);
      passEnds[keyOf(pass)] = end;
    };
    run(passes.action);
    if (passes.partner)
      run(*passes.partner);
    last = ends;
  }

  void exchangeMessage(const Action &action, const schedule::MessageEnd &end) {
    bool sends = action.kind == ActionKind::SendForward ||
                 action.kind == ActionKind::SendBackward;
    // A message is that of the earlier one of its two stages.
    bool isOfStageBefore = sends != isForward(action.kind);
    const StagePasses &of =
        step.passes.stages[size_t(action.stage - isOfStageBefore)];
    Piece piece;
    piece.type = sends ? NodeType::Send : NodeType::Receive;
    piece.messageBytes = of.sent;
    piece.time = sends ? of.sending : Nanoseconds();
    Ids before = last;
    if (auto pass = passEnds.find(keyOf(action));
        sends && pass != passEnds.end()) {
      before = {pass->second};
      passEnds.erase(pass);
    }
    uint64_t id = message(str(action), piece, end.peer, uint64_t(end.number),
                          before, messages);
    if (!sends)
      received[keyOf(action)] = id;
  }

  /// Sums of gradients run beside what computes, one after the other.
  void reduce(const Action &action) {
    const Pieces &pieces = stage(action).reduce;
    if (pieces.empty())
      return;
    Ids before = last;
    before.insert(before.end(), reduced.begin(), reduced.end());
    for (const Piece &piece : pieces)
      before = {node(piece, before, side)};
    reduced = before;
    reducedStages[action.stage] = before;
  }

  void update(const Action &action) {
    if (!hasUpdated) {
      last.insert(last.end(), reduced.begin(), reduced.end());
      for (const Piece &piece : shared().before)
        last = {node(piece, last, main)};
    }
    hasUpdated = true;
    if (auto sums = reducedStages.find(action.stage);
        sums != reducedStages.end())
      last.insert(last.end(), sums->second.begin(), sums->second.end());
    std::ranges::sort(last);
    last.erase(std::unique(last.begin(), last.end()), last.end());
    last = {chain(str(action), stage(action).update, last)};
  }

  void afterUpdates() {
    for (const Piece &piece : shared().behind)
      last = {node(piece, last, main)};
  }

  const SharedPieces &shared() const {
    return step.passes.shared[size_t(place)];
  }

  /// One after the other; `name` is that of the kernels. A pass of nothing is a
  /// node, too. Returns the last one.
  uint64_t chain(const std::string &name, const Pieces &pieces, Ids before) {
    if (pieces.empty())
      return compute(name, Nanoseconds(), before);
    for (const Piece &piece : pieces)
      before = {piece.type == NodeType::Compute
                    ? compute(name, piece.time, before, piece.operations,
                              piece.tensorBytes)
                    : node(piece, before, main)};
    return before.front();
  }

  uint64_t compute(std::string_view name, Nanoseconds time, const Ids &before,
                   double operations = 0, double tensorBytes = 0) {
    auto whole = [](double value) {
      return uint64_t(std::llround(std::clamp(value, 0.0, 9.2e18)));
    };
    Node node;
    node.name = name;
    node.operations = whole(operations);
    node.tensorBytes = whole(tensorBytes);
    return write(node, main.next(time), before);
  }

  /// A collective, or a message beside those of the schedule, whose numbers
  /// follow.
  uint64_t node(const Piece &piece, const Ids &before, Clock &clock) {
    if (piece.type != NodeType::Collective)
      return message(piece.name, piece, piece.peer,
                     uint64_t(firstFreeTag() + piece.number), before, clock);
    Node node;
    node.name = piece.name;
    node.type = piece.type;
    node.collective = piece.collective;
    node.messageBytes = uint64_t(piece.messageBytes.count());
    node.group = step.groups.nameOf(piece.grouping, rank);
    return write(node, clock.next(piece.time), before);
  }

  uint64_t message(const std::string &name, const Piece &piece, int64_t peer,
                   uint64_t tag, const Ids &before, Clock &clock) {
    auto here = uint64_t(rank);
    auto there = uint64_t(rank + (peer - place) * step.pipelineStride);
    Node node;
    node.name = name;
    node.type = piece.type;
    node.messageBytes = uint64_t(piece.messageBytes.count());
    node.source = piece.type == NodeType::Send ? here : there;
    node.destination = piece.type == NodeType::Send ? there : here;
    node.tag = tag;
    return write(node, clock.next(piece.time), before);
  }

  /// More than any message of the schedule has.
  int64_t firstFreeTag() const {
    size_t most = 0;
    for (const auto &actions : step.actions)
      most = std::max(most, actions.size());
    return int64_t(most);
  }

  uint64_t write(Node &node, uint64_t microseconds, const Ids &before) {
    node.id = nextId++;
    node.dependencies = before;
    node.microseconds = microseconds;
    writer.write(node);
    return node.id;
  }

  const StepTrace &step;
  int64_t rank, place;
  TraceWriter writer;
  uint64_t nextId = 0;
  /// What computes, sums beside it, and messages.
  Clock main, side, messages;
  /// What the next pass waits for.
  Ids last;
  /// Sums of gradients so far, and those of each stage.
  Ids reduced;
  std::map<int64_t, Ids> reducedStages;
  std::map<Key, uint64_t> passEnds, received;
  bool hasUpdated = false;
};

} // namespace

double StepTrace::nodesOf(int64_t place) const {
  double nodes = 1;
  for (const RankAction &entry : actions[size_t(place)]) {
    auto add = [&](const Action &action) {
      const StagePasses &all = passes.stages[size_t(action.stage)];
      size_t pieces = 1;
      if (action.kind == ActionKind::Forward)
        pieces = all.forward.size();
      else if (action.kind == ActionKind::Backward)
        pieces = all.backward.size();
      else if (action.kind == ActionKind::BackwardInput)
        pieces = all.backwardInput.size();
      nodes += double(std::max<size_t>(pieces, 1));
    };
    add(entry.step.action);
    if (entry.step.partner)
      add(*entry.step.partner);
  }
  return nodes;
}

void StepTrace::write(int64_t rank, const TextSink &sink) const {
  RankWriter(*this, rank, sink).run();
}

} // namespace shardsmith::emit::chakra
