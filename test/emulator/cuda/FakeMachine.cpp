// SPDX-License-Identifier: Apache-2.0

#include "FakeMachine.h"

#include "../../unit/FirstSeed.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace shardsmith::emulator {

std::string environmentOr(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

int fakeRank() { return std::stoi(environmentOr("RANK", "0")); }

FakeMachine::FakeMachine()
    : random(test::firstSeed() + static_cast<uint64_t>(fakeRank())),
      capacity(std::stoull(environmentOr("FAKE_CUDA_MEMORY", "1073741824"))) {}

FakeMachine &FakeMachine::get() {
  // Never destroyed: the program may call until its very end.
  static auto *machine = new FakeMachine();
  return *machine;
}

void FakeMachine::accuse(const std::string &what) {
  if (!broken)
    fmt::print(stderr, "fake GPU of rank {}: {}\n", fakeRank(), what);
  broken = true;
}

FakeStream *FakeMachine::makeStream() {
  FakeStream &stream = streams.emplace_back();
  stream.number = streams.size() - 1;
  order.addStream(fmt::format("{}", stream.number));
  count("streams");
  return &stream;
}

FakeEvent *FakeMachine::makeEvent() {
  FakeEvent &event = events.emplace_back();
  event.number = events.size() - 1;
  count("events");
  return &event;
}

void FakeMachine::put(FakeStream *stream, std::function<void()> call) {
  if (!capture)
    return call();
  if (stream) {
    auto clock = capture->clocks.find(stream);
    if (clock == capture->clocks.end())
      return accuse(fmt::format("work for stream {}, which does not wait for "
                                "the graph that is captured",
                                stream->number));
    ++clock->second[stream];
  }
  capture->calls.push_back(std::move(call));
}

void FakeMachine::beginCapture(FakeStream *stream) {
  if (capture)
    return accuse("two graphs are captured at a time");
  capture = std::make_unique<FakeGraph>();
  capture->origin = stream;
  capture->clocks[stream] = {};
}

std::unique_ptr<FakeGraph> FakeMachine::endCapture(FakeStream *stream) {
  std::unique_ptr<FakeGraph> graph = std::move(capture);
  if (!graph || graph->origin != stream) {
    accuse("a graph ends in another stream than it began in");
    return nullptr;
  }
  for (auto &[other, clock] : graph->clocks)
    if (graph->clocks[stream][other] != clock[other]) {
      accuse(fmt::format("stream {} was not waited for at the end of a graph",
                         other->number));
      return nullptr;
    }
  return graph;
}

void FakeMachine::record(FakeStream *stream, FakeEvent *event) {
  if (capture && capture->clocks.contains(stream)) {
    FakeEvent *&own = capture->events[event];
    if (!own) {
      own = &events.emplace_back();
      own->number = events.size() - 1;
    }
    put(stream, [this, stream, own] { record(stream, own); });
    capture->recorded[event] = capture->clocks[stream];
    return;
  }
  event->stream = stream;
  event->ticket = stream->added;
  event->time = std::chrono::steady_clock::now();
  if (!event->hasHappened())
    stream->coming.push_back(event);
  order.record(stream->number, event->number);
}

void FakeMachine::wait(FakeStream *stream, FakeEvent *event) {
  if (capture) {
    auto recorded = capture->recorded.find(event);
    if (recorded == capture->recorded.end())
      return accuse("while a graph is captured a stream waits for an event of "
                    "another time");
    FakeGraph::Clock &clock = capture->clocks[stream];
    for (auto [other, count] : recorded->second)
      clock[other] = std::max(clock[other], count);
    put(stream,
        [this, stream, own = capture->events[event]] { wait(stream, own); });
    return;
  }
  order.wait(stream->number, event->number);
  FakeEvent asRecorded = *event;
  add(stream,
      {"wait for an event", [asRecorded] { return asRecorded.hasHappened(); }},
      {});
}

void FakeMachine::add(FakeStream *stream, FakeStream::Work work,
                      const std::vector<Touch> &touches) {
  for (const Touch &touch : touches) {
    auto after = blocks.upper_bound(touch.begin);
    bool isInside =
        after != blocks.begin() &&
        touch.end <= std::prev(after)->first + std::prev(after)->second.second;
    if (!isInside)
      accuse(fmt::format("'{}' touches {} bytes at {:#x}, which are not the "
                         "device's",
                         work.name, touch.end - touch.begin, touch.begin));
  }
  std::string problem = order.add(stream->number, work.name, touches);
  if (!problem.empty())
    accuse(problem);
  stream->work.push_back(std::move(work));
  ++stream->added;
  if (random() % 4 == 0)
    goOn();
}

void FakeMachine::goOn() {
  std::vector<FakeStream *> busy;
  for (FakeStream &stream : streams)
    if (!stream.work.empty())
      busy.push_back(&stream);
  std::ranges::shuffle(busy, random);
  for (FakeStream *stream : busy) {
    if (!stream->work.front().goOn())
      continue;
    stream->work.pop_front();
    ++stream->ended;
    std::erase_if(stream->coming, [](FakeEvent *event) {
      if (!event->hasHappened())
        return false;
      event->time = std::chrono::steady_clock::now();
      return true;
    });
    return;
  }
}

void FakeMachine::hostHasWaited(FakeStream *stream) {
  order.hostWaits(stream->number);
}

void FakeMachine::hostHasCopied(const Touch &touch) {
  if (!ofHost) {
    ofHost = makeStream();
    count("streams", -1);
  }
  std::string problem =
      order.add(ofHost->number, "copy that the host waits for", {touch});
  if (!problem.empty())
    accuse(problem);
  hostHasWaited(ofHost);
}

void FakeMachine::removeWorkOf(const void *owner) {
  for (FakeStream &stream : streams)
    std::erase_if(stream.work, [&](const FakeStream::Work &work) {
      return work.owner == owner;
    });
}

std::byte *FakeMachine::allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  if (bytes > freeBytes())
    return nullptr;
  auto owned = std::make_unique<std::byte[]>(bytes + alignment);
  // Not a number, whatever the type of float.
  std::memset(owned.get(), 0xff, bytes + alignment);
  auto begin = reinterpret_cast<uint64_t>(owned.get());
  begin = (begin + alignment - 1) / alignment * alignment;
  used += bytes;
  blocks[begin] = {std::move(owned), bytes};
  count("blocks");
  return reinterpret_cast<std::byte *>(begin);
}

bool FakeMachine::release(uint64_t address) {
  auto found = blocks.find(address);
  if (found == blocks.end())
    return false;
  used -= found->second.second;
  blocks.erase(found);
  count("blocks", -1);
  return true;
}

std::byte *FakeMachine::allocateOnHost(size_t bytes) {
  auto owned = std::make_unique<std::byte[]>(bytes);
  std::byte *begin = owned.get();
  hostBlocks[reinterpret_cast<uint64_t>(begin)] = {std::move(owned), bytes};
  count("host blocks");
  return begin;
}

bool FakeMachine::releaseOnHost(void *memory) {
  if (hostBlocks.erase(reinterpret_cast<uint64_t>(memory)) == 0)
    return false;
  count("host blocks", -1);
  return true;
}

void FakeMachine::countHostCopy(const void *memory, size_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(memory);
  auto after = hostBlocks.upper_bound(begin);
  bool isLocked = false;
  if (after != hostBlocks.begin()) {
    const auto &[place, block] = *std::prev(after);
    isLocked = begin + bytes <= place + block.second;
  }
  count(isLocked ? "locked copies" : "pageable copies");
}

void FakeMachine::writeLog() const {
  std::string folder = environmentOr("FAKE_CUDA_LOG", "");
  if (!folder.empty())
    std::ofstream(fmt::format("{}/{}.json", folder, fakeRank()))
        << nlohmann::json(counts).dump();
}

} // namespace shardsmith::emulator
