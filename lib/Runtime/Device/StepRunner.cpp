// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Device/StepRunner.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace shardsmith::runtime::device {

StepRunner::StepRunner(Device &device, const ActionList &list,
                       std::span<const std::byte> constants)
    : device(device), list(list) {
  memory = device.allocate(list.memoryBytes);
  for (const std::string &name : list.streams)
    streams.push_back(device.makeStream(name));
  for (const std::string &name : list.functions)
    functions.push_back(device.findFunction(name));
  for (const std::vector<std::vector<int>> &ranks : list.communicators)
    communicators.push_back(device.makeCommunicator(ranks));
  for (const Action &action : list.actions)
    events.push_back(action.isAwaited ? device.makeEvent() : Event{-1});
  for (size_t stream = 0; stream < streams.size(); ++stream)
    ends.push_back(device.makeEvent());
  canBeKept = std::ranges::none_of(list.actions, [](const Action &action) {
    return std::holds_alternative<DecideAction>(action.work);
  });
  Stream compute = streams[ActionList::computeStream];
  if (!constants.empty())
    device.copyToDevice(compute, at(list.constantsPlace), constants.data(),
                        static_cast<int64_t>(constants.size()));
  for (int64_t number = 0; number < list.numbers; ++number)
    device.fill(compute,
                at(list.numbersPlace + number * ActionList::numberPitch),
                static_cast<uint32_t>(number), 1);
}

void StepRunner::warmUp() {
  Stream compute = streams[ActionList::computeStream];
  // Kernels read positions from memory. Zero lies in every tensor; what the
  // memory held before need not.
  auto clear = [&](int64_t begin, int64_t end) {
    if (end - begin >= 4)
      device.fill(compute, at(begin), 0, (end - begin) / 4);
  };
  clear(0, list.arenaBytes);
  clear(list.numbersPlace + list.numbers * ActionList::numberPitch,
        list.memoryBytes);
  for (const Action &action : list.actions) {
    if (const auto *launch = std::get_if<LaunchAction>(&action.work))
      run(*launch, compute);
    if (const auto *multiply = std::get_if<MultiplyAction>(&action.work))
      run(*multiply, compute);
  }
  finish();
}

void StepRunner::upload(int64_t place, const void *from, int64_t bytes) {
  if (bytes > 0)
    device.copyToDevice(streams[ActionList::computeStream], at(place), from,
                        bytes);
}

void StepRunner::download(void *to, int64_t place, int64_t bytes) {
  if (bytes > 0)
    device.copyToHost(streams[ActionList::computeStream], to, at(place), bytes);
}

std::byte *StepRunner::onHost(int64_t place, int64_t bytes) {
  auto [found, isNew] =
      hostMemory.try_emplace(std::pair(place, bytes), nullptr);
  if (isNew)
    found->second = device.allocateOnHost(bytes);
  return found->second;
}

void StepRunner::uploadOfStep(int64_t place, const void *from, int64_t bytes) {
  if (bytes == 0)
    return;
  std::byte *kept = onHost(place, bytes);
  std::memcpy(kept, from, static_cast<size_t>(bytes));
  upload(place, kept, bytes);
}

void StepRunner::downloadOfStep(void *to, int64_t place, int64_t bytes) {
  if (bytes == 0)
    return;
  std::byte *kept = onHost(place, bytes);
  download(kept, place, bytes);
  downloads.push_back({to, kept, bytes});
}

void StepRunner::enqueue() {
  Stream compute = streams[ActionList::computeStream];
  // Ranks may connect in their first step, which is not to be kept.
  bool isFirst = !std::exchange(hasRun, true);
  if (!isFirst && canBeKept && !graph)
    makeGraph();
  if (graph)
    device.launch(compute, *graph);
  else
    putActions();
}

/// Every stream follows the first one, which follows all in the end:
///
///     stream 0   ●── actions ─────●──●
///     stream 1   ╰▶ actions ──────╯  │
///     stream 2   ╰▶ actions ─────────╯
void StepRunner::makeGraph() {
  constexpr size_t first = ActionList::computeStream;
  canBeKept = device.beginGraph(streams[first]);
  if (!canBeKept)
    return;
  device.record(streams[first], ends[first]);
  for (size_t other = 0; other < streams.size(); ++other)
    if (other != first)
      device.wait(streams[other], ends[first]);
  putActions();
  for (size_t other = 0; other < streams.size(); ++other) {
    if (other == first)
      continue;
    device.record(streams[other], ends[other]);
    device.wait(streams[first], ends[other]);
  }
  graph = device.endGraph(streams[first]);
}

void StepRunner::putActions() {
  for (size_t number = 0; number < list.actions.size(); ++number) {
    const Action &action = list.actions[number];
    Stream stream = streams[action.stream];
    for (size_t other : action.waits)
      device.wait(stream, events[other]);
    if (!action.name.empty())
      device.beginAction(stream, number, action.name);
    std::visit([&](const auto &work) { run(work, stream); }, action.work);
    if (!action.name.empty())
      device.endAction(stream);
    if (action.isAwaited)
      device.record(stream, events[number]);
    if (const auto *decision = std::get_if<DecideAction>(&action.work))
      number = decide(number, *decision);
  }
}

size_t StepRunner::decide(size_t number, const DecideAction &decision) {
  Stream compute = streams[ActionList::computeStream];
  std::byte *goesOn = onHost(decision.flag, 1);
  download(goesOn, decision.flag, 1);
  device.synchronize(compute);
  bool isBegin = number < decision.other;
  if (isBegin == (*goesOn != std::byte(0)))
    return number;
  // What comes later waits for the end of the loop, which nobody came to.
  if (isBegin && list.actions[decision.other].isAwaited)
    device.record(compute, events[decision.other]);
  return decision.other;
}

// The end of a step is in the first stream and follows all others.
void StepRunner::finish() {
  device.synchronize(streams[ActionList::computeStream]);
  for (const Download &each : downloads)
    std::memcpy(each.to, each.from, static_cast<size_t>(each.bytes));
  downloads.clear();
}

void StepRunner::run(const LaunchAction &launch, Stream stream) {
  std::vector<Address> arguments;
  for (int64_t place : launch.arguments)
    arguments.push_back(at(place));
  device.launch(stream, functions[launch.function], launch.grid, launch.block,
                arguments);
}

void StepRunner::run(const CopyAction &copy, Stream stream) {
  device.copy(stream, {at(copy.from), at(copy.to), copy.rows, copy.rowBytes,
                       copy.fromPitch, copy.toPitch});
}

void StepRunner::run(const FillAction &fill, Stream stream) {
  device.fill(stream, at(fill.to), fill.word, fill.words);
}

void StepRunner::run(const MultiplyAction &multiply, Stream stream) {
  ProductAddresses addresses;
  addresses.a = at(multiply.a);
  addresses.b = at(multiply.b);
  addresses.c = at(multiply.c);
  if (multiply.sum)
    addresses.sum = at(*multiply.sum);
  if (multiply.bias)
    addresses.bias = at(*multiply.bias);
  if (multiply.scale)
    addresses.scale = at(*multiply.scale);
  if (multiply.gelu)
    addresses.gelu = at(multiply.gelu->arguments.back());
  bool isDone = device.multiply(stream, multiply.gemm, addresses);
  if (!isDone)
    run(*multiply.gelu, stream);
}

void StepRunner::run(const AllReduceAction &reduce, Stream stream) {
  device.allReduce(stream, communicators[reduce.communicator], reduce.type,
                   reduce.reduction, at(reduce.in), at(reduce.out),
                   reduce.count);
}

void StepRunner::run(const AllGatherAction &gather, Stream stream) {
  device.allGather(stream, communicators[gather.communicator], at(gather.in),
                   at(gather.out), gather.bytes);
}

void StepRunner::run(const ReduceScatterAction &scatter, Stream stream) {
  device.reduceScatter(stream, communicators[scatter.communicator],
                       scatter.type, scatter.reduction, at(scatter.in),
                       at(scatter.out), scatter.count);
}

void StepRunner::run(const ExchangeAction &exchange, Stream stream) {
  Communicator communicator = communicators[exchange.communicator];
  std::vector<Message> messages;
  for (const ExchangeAction::Message &message : exchange.messages)
    messages.push_back({message.isSend, message.peer, at(message.place)});
  device.exchange(stream, communicator, exchange.bytes, messages);
}

} // namespace shardsmith::runtime::device
