// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rank/Profile.h"

#include "Together.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Support/AtomicFile.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith::runtime {
namespace {

/// Threads of a process in the trace; streams of a device follow.
constexpr int passThread = 0, exchangeThread = 1, firstStreamThread = 2;

/// Nanoseconds as the format's microseconds, without rounding.
std::string microseconds(int64_t time) {
  return fmt::format("{}.{:03}", time / 1000, time % 1000);
}

std::string inQuotes(const std::string &text) {
  return nlohmann::json(text).dump();
}

std::string event(const std::string &name, const char *category, int process,
                  int thread, int64_t begin, int64_t end,
                  const std::string &arguments) {
  return fmt::format(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},)"
                     R"("ts":{},"dur":{},"args":{{{}}}}})",
                     inQuotes(name), category, process, thread,
                     microseconds(begin), microseconds(end - begin), arguments);
}

/// Of the axis along which ranks have different stages; 0 without one.
int64_t pipelineRankOf(const Manifest &manifest, int rank) {
  return manifest.pipeline
             ? coordinatesOf(manifest, rank)[manifest.pipeline->axis]
             : 0;
}

std::string namesOf(const smith_context &context) {
  int rank = context.rank();
  std::string text = fmt::format(
      R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"rank {0}",)"
      R"("pipeline_rank":{1}}}}})",
      rank, pipelineRankOf(context.manifest, rank));
  std::vector<std::string> threads{"passes", "exchanges"};
  const std::vector<std::string> &streams = context.profile.deviceStreams();
  threads.insert(threads.end(), streams.begin(), streams.end());
  for (size_t thread = 0; thread < threads.size(); ++thread)
    text += fmt::format(",\n"
                        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},)"
                        R"("args":{{"name":"{}"}}}})",
                        rank, thread, threads[thread]);
  return text;
}

} // namespace

int64_t Profile::sinceStart(Clock::time_point time) const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time - *origin)
      .count();
}

void Profile::beginStep(int64_t number) {
  if (!isOn())
    return;
  // The first one makes room for the second, others for the last ones.
  if (begun == 1 || steps.size() == keptSteps)
    steps.pop_front();
  ++begun;
  steps.emplace_back();
  steps.back().number = number;
  steps.back().begin = sinceStart(Clock::now());
  isInStep = true;
}

void Profile::endStep() {
  if (!isOn())
    return;
  steps.back().end = sinceStart(Clock::now());
  isInStep = false;
}

void Profile::beginPass(const char *name, int32_t microBatch) {
  if (isInStep)
    steps.back().passes.push_back(
        {name, microBatch, sinceStart(Clock::now()), 0});
}

void Profile::endPass() {
  if (isInStep)
    steps.back().passes.back().end = sinceStart(Clock::now());
}

void Profile::addExchange(std::string what, int64_t bytes,
                          Clock::time_point begin) {
  if (isInStep)
    steps.back().exchanges.push_back({std::move(what), bytes, sinceStart(begin),
                                      sinceStart(Clock::now()), false});
}

void Profile::addWait(Clock::time_point begin) {
  if (isInStep)
    steps.back().waits.emplace_back(sinceStart(begin),
                                    sinceStart(Clock::now()));
}

void Profile::addPass(const char *name, int32_t microBatch,
                      Clock::time_point begin, Clock::time_point end) {
  if (isInStep)
    steps.back().passes.push_back(
        {name, microBatch, sinceStart(begin), sinceStart(end)});
}

void Profile::addMessageWait(int from, int64_t bytes, Clock::time_point begin,
                             Clock::time_point end) {
  if (isInStep)
    steps.back().exchanges.push_back({fmt::format("receive from rank {}", from),
                                      bytes, sinceStart(begin), sinceStart(end),
                                      true});
}

void Profile::addDeviceWork(const std::string &stream, std::string what,
                            Clock::time_point begin, Clock::time_point end) {
  if (!isInStep)
    return;
  auto found = std::ranges::find(streams, stream);
  auto number = static_cast<size_t>(found - streams.begin());
  if (found == streams.end())
    streams.push_back(stream);
  steps.back().work.push_back(
      {number, std::move(what), sinceStart(begin), sinceStart(end)});
}

std::string Profile::events(int process) const {
  std::string text;
  auto add = [&](const std::string &one) {
    if (!text.empty())
      text += ",\n";
    text += one;
  };
  for (const Step &step : steps) {
    std::string number = fmt::format(R"("step":{})", step.number);
    add(event(fmt::format("step {}", step.number), "step", process, passThread,
              step.begin, step.end, number));
    for (const Pass &pass : step.passes)
      add(event(fmt::format("{}{}", pass.name, pass.microBatch), "compute",
                process, passThread, pass.begin, pass.end, number));
    for (const Exchange &exchange : step.exchanges)
      add(event(exchange.what, "exchange", process, exchangeThread,
                exchange.begin, exchange.end,
                fmt::format(R"({},"bytes":{}{})", number, exchange.bytes,
                            exchange.isWait ? R"(,"only_waits":true)" : "")));
    for (auto [begin, end] : step.waits)
      add(event("wait", "wait", process, passThread, begin, end, number));
    for (const DeviceWork &work : step.work)
      add(event(work.what, "device", process,
                firstStreamThread + static_cast<int>(work.stream), work.begin,
                work.end, number));
  }
  return text;
}

void writeProfile(smith_context &context, const std::string &path) {
  std::string own =
      namesOf(context) + ",\n" + context.profile.events(context.rank());
  std::vector<int64_t> lengths =
      context.gather(static_cast<int64_t>(own.size()));
  std::string all = context.rank() == 0 ? own : "";
  const Group &world = context.groups.world();
  // Rank by rank, so that rank 0 holds one text beside the whole.
  for (int rank = 1; rank < context.manifest.ranks; ++rank) {
    std::vector<int32_t> sources(context.manifest.ranks, -1);
    sources[0] = rank;
    std::string sent = context.rank() == rank ? own : std::string();
    sent.resize(lengths[rank]);
    std::string received(lengths[rank], '\0');
    context.transport->permute(world, sources.data(), sent.data(),
                               received.data(), lengths[rank]);
    if (context.rank() == 0)
      all += ",\n" + received;
  }
  runTogether(context, [&] {
    if (context.rank() != 0)
      return;
    std::string title =
        fmt::format("{} on {} ranks, as it ran", context.manifest.modelName,
                    context.manifest.ranks);
    std::string problem = writeFileAtomically(
        path,
        fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{"
                    "\"format\":\"shardsmith-profile/1\",\"plan_hash\":{},"
                    "\"title\":{}}},\"traceEvents\":[\n{}\n]}}\n",
                    inQuotes(context.manifest.planHash), inQuotes(title), all));
    if (!problem.empty())
      fail(ExitCode::Environment, "{}", problem);
  });
}

} // namespace shardsmith::runtime
