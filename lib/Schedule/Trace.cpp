// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Trace.h"

#include "Dependencies.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace shardsmith::schedule {
namespace {

std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds as the format's microseconds, without rounding.
std::string microseconds(Nanoseconds time) {
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

std::string nameOf(const Stream &stream) {
  if (std::holds_alternative<ComputeStream>(stream))
    return "compute";
  if (std::holds_alternative<CollectiveStream>(stream))
    return "data-parallel collectives";
  return fmt::format("send to rank {}", std::get<SendStream>(stream).toRank);
}

std::string_view categoryOf(const Stream &stream) {
  if (std::holds_alternative<ComputeStream>(stream))
    return "compute";
  return std::holds_alternative<SendStream>(stream) ? "p2p" : "collective";
}

/// `forward 3`, `send gradient 5`, `forward 2 + backward 0`.
std::string describe(const Action &action) {
  static constexpr std::array<std::string_view, 12> names = {
      "forward",         "backward",         "backward input",
      "backward weight", "send activation",  "receive activation",
      "send gradient",   "receive gradient", "gather parameters",
      "free parameters", "reduce gradients", "update"};
  std::string text(names[size_t(action.kind)]);
  if (action.microBatch != noMicroBatch)
    text += fmt::format(" {}", action.microBatch);
  return text;
}

class TraceWriter {
public:
  TraceWriter(const Simulation &simulation, const TraceLabels &labels)
      : simulation(simulation), labels(labels) {}

  std::string write() {
    nameTracks();
    findReaders();
    for (const Span &span : simulation.spans)
      writeSpan(span);
    for (size_t rank = 0; rank < simulation.ranks.size(); ++rank)
      for (const MemorySample &sample : simulation.ranks[rank].memory)
        add(fmt::format(R"({{"ph":"C","name":"saved activations","pid":{},)"
                        R"("ts":{},"args":{{"bytes":{}}}}})",
                        rank, microseconds(sample.time), sample.bytes.count()));
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"title\":"
                       "{}}},\"traceEvents\":[\n{}\n]}}\n",
                       quoted(labels.title), events);
  }

private:
  void add(const std::string &event) {
    if (!events.empty())
      events += ",\n";
    events += event;
  }

  int64_t threadOf(const Span &span) const {
    return threads.at({span.rank, span.stream});
  }

  void nameTracks() {
    for (size_t rank = 0; rank < simulation.ranks.size(); ++rank)
      add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},)"
                      R"("args":{{"name":"pipeline rank {0}"}}}})",
                      rank));
    std::map<int64_t, int64_t> streamsOfRank;
    for (const Span &span : simulation.spans) {
      auto [entry, isNew] = threads.try_emplace({span.rank, span.stream}, 0);
      if (!isNew)
        continue;
      entry->second = streamsOfRank[span.rank]++;
      add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},)"
                      R"("args":{{"name":"{}"}}}})",
                      span.rank, entry->second, nameOf(span.stream)));
    }
  }

  void findReaders() {
    for (const Span &span : simulation.spans)
      forEachAction(span.step, [&](const Action &action) {
        if (isCompute(action.kind))
          passes[action] = &span;
      });
  }

  std::string arguments(const Span &span) const {
    std::string text;
    forEachAction(span.step, [&](const Action &action) {
      auto stage = size_t(action.stage);
      if (!text.empty())
        text += " + ";
      text += fmt::format("stage {}", stage);
      if (stage < labels.stages.size())
        text += " (" + labels.stages[stage] + ")";
    });
    return text;
  }

  void writeSpan(const Span &span) {
    std::string what = describe(span.step.action);
    if (span.step.partner)
      what += " + " + describe(*span.step.partner);
    add(fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},)"
                    R"("ts":{},"dur":{},"args":{{"stage":{},"what":"{}"}}}})",
                    str(span.step), categoryOf(span.stream), span.rank,
                    threadOf(span), microseconds(span.start),
                    microseconds(span.end - span.start),
                    quoted(arguments(span)), what));
    writeArrow(span);
  }

  /// From a message to the pass that reads it.
  void writeArrow(const Span &span) {
    const Action &sent = span.step.action;
    if (!std::holds_alternative<SendStream>(span.stream))
      return;
    bool forward = sent.kind == ActionKind::SendForward;
    int64_t stage = forward ? sent.stage + 1 : sent.stage - 1;
    const Span *reader = nullptr;
    for (ActionKind kind : {ActionKind::Forward, ActionKind::Backward,
                            ActionKind::BackwardInput}) {
      if (forward != (kind == ActionKind::Forward))
        continue;
      auto pass = passes.find({kind, stage, sent.microBatch});
      if (pass != passes.end())
        reader = pass->second;
    }
    if (!reader)
      return;
    ++arrows;
    add(fmt::format(R"({{"ph":"s","id":{},"name":"message","cat":"p2p",)"
                    R"("pid":{},"tid":{},"ts":{}}})",
                    arrows, span.rank, threadOf(span),
                    microseconds(span.start)));
    add(fmt::format(R"({{"ph":"f","bp":"e","id":{},"name":"message",)"
                    R"("cat":"p2p","pid":{},"tid":{},"ts":{}}})",
                    arrows, reader->rank, threadOf(*reader),
                    microseconds(reader->start)));
  }

  const Simulation &simulation;
  const TraceLabels &labels;
  std::string events;
  std::map<std::pair<int64_t, Stream>, int64_t> threads;
  std::map<Action, const Span *> passes;
  int64_t arrows = 0;
};

} // namespace

std::string toTrace(const Simulation &simulation, const TraceLabels &labels) {
  return TraceWriter(simulation, labels).write();
}

} // namespace shardsmith::schedule
