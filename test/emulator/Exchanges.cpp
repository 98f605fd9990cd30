// SPDX-License-Identifier: Apache-2.0
//
// Collectives and messages of emulated devices: who meets whom, and what then
// happens to memory.

#include "EmulatedDevice.h"

#include "shardsmith/Runtime/Reduce.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emulator {
namespace {

Touch touch(device::Address begin, int64_t bytes, bool isWrite) {
  return {begin, begin + static_cast<uint64_t>(bytes), isWrite};
}

const char *nameOf(ExchangePart::Kind kind) {
  switch (kind) {
  case ExchangePart::Kind::AllReduce:
    return "all-reduce";
  case ExchangePart::Kind::AllGather:
    return "all-gather";
  case ExchangePart::Kind::ReduceScatter:
    return "reduce-scatter";
  case ExchangePart::Kind::Send:
    return "send";
  case ExchangePart::Kind::Receive:
    return "receive";
  }
  return "";
}

} // namespace

std::string ExchangePart::describe() const {
  if (kind == Kind::Send)
    return fmt::format("send of {} bytes to rank {}", count, peer);
  if (kind == Kind::Receive)
    return fmt::format("receive of {} bytes from rank {}", count, peer);
  if (kind == Kind::AllGather)
    return fmt::format("all-gather of {} bytes", count);
  return fmt::format("{} of {} {}", nameOf(kind), count, runtime::name(type));
}

device::Communicator
EmulatedDevice::makeCommunicator(const std::vector<std::vector<int>> &lists) {
  size_t number = communicatorCount++;
  auto &known = machine.communicatorLists;
  if (number == known.size())
    known.push_back(lists);
  else if (known[number] != lists)
    machine.fail(
        fmt::format("ranks split communicator {} into other lists", number));
  return {static_cast<int>(number)};
}

const std::vector<int> &EmulatedDevice::ranksOf(size_t communicator) const {
  for (const std::vector<int> &ranks : machine.communicatorLists[communicator])
    if (std::ranges::find(ranks, rank) != ranks.end())
      return ranks;
  machine.fail(
      fmt::format("communicator {} is not one of rank {}", communicator, rank));
}

int64_t EmulatedDevice::sizeOf(device::Communicator communicator) const {
  return std::ssize(ranksOf(communicator.number));
}

void EmulatedDevice::addParts(device::Stream stream,
                              const std::vector<ExchangePart> &parts,
                              const std::vector<Touch> &touches) {
  if (parts.empty())
    return;
  StreamWork work;
  for (const ExchangePart &part : parts)
    work.name += fmt::format("{}{} over ranks {}",
                             work.name.empty() ? "" : " with ", part.describe(),
                             fmt::join(ranksOf(part.communicator), ", "));
  auto [used, isNew] = streamOfCommunicator.try_emplace(
      parts.front().communicator, stream.number);
  if (used->second != stream.number)
    machine.fail(fmt::format("{} in stream '{}', but its communicator is used "
                             "in stream '{}'",
                             parts.front().describe(),
                             streams[stream.number].name,
                             streams[used->second].name));
  work.parts = parts;
  add(stream, std::move(work), touches);
}

void EmulatedDevice::allReduce(device::Stream stream,
                               device::Communicator communicator,
                               runtime::ElementType type,
                               runtime::Reduction reduction, device::Address in,
                               device::Address out, int64_t count) {
  int64_t bytes = count * runtime::byteSize(type);
  addParts(
      stream,
      {{ExchangePart::Kind::AllReduce, static_cast<size_t>(communicator.number),
        -1, type, reduction, in, out, count}},
      {touch(in, bytes, false), touch(out, bytes, true)});
}

void EmulatedDevice::allGather(device::Stream stream,
                               device::Communicator communicator,
                               device::Address in, device::Address out,
                               int64_t bytes) {
  addParts(
      stream,
      {{ExchangePart::Kind::AllGather, static_cast<size_t>(communicator.number),
        -1, SMITH_U8, SMITH_SUM, in, out, bytes}},
      {touch(in, bytes, false),
       touch(out, bytes * sizeOf(communicator), true)});
}

void EmulatedDevice::reduceScatter(device::Stream stream,
                                   device::Communicator communicator,
                                   runtime::ElementType type,
                                   runtime::Reduction reduction,
                                   device::Address in, device::Address out,
                                   int64_t count) {
  int64_t bytes = count * runtime::byteSize(type);
  addParts(stream,
           {{ExchangePart::Kind::ReduceScatter,
             static_cast<size_t>(communicator.number), -1, type, reduction, in,
             out, count}},
           {touch(in, bytes * sizeOf(communicator), false),
            touch(out, bytes, true)});
}

void EmulatedDevice::exchange(device::Stream stream,
                              device::Communicator communicator, int64_t bytes,
                              std::span<const device::Message> messages) {
  std::vector<ExchangePart> parts;
  std::vector<Touch> touches;
  for (const device::Message &message : messages) {
    ExchangePart part{message.isSend ? ExchangePart::Kind::Send
                                     : ExchangePart::Kind::Receive,
                      static_cast<size_t>(communicator.number)};
    part.peer = ranksOf(communicator.number).at(message.peer);
    (message.isSend ? part.in : part.out) = message.at;
    part.count = bytes;
    parts.push_back(part);
    touches.push_back(touch(message.at, bytes, !message.isSend));
  }
  addParts(stream, parts, touches);
}

ExchangePart *EmulatedDevice::frontCollective(size_t communicator) {
  for (StreamQueue &queue : streams)
    if (!queue.work.empty())
      for (ExchangePart &part : queue.work.front().parts)
        if (!part.isDone && !part.isMessage() &&
            part.communicator == communicator)
          return &part;
  return nullptr;
}

ExchangePart *EmulatedDevice::frontMessage(const ExchangePart &other,
                                           int from) {
  for (StreamQueue &queue : streams)
    if (!queue.work.empty())
      for (ExchangePart &part : queue.work.front().parts)
        if (!part.isDone && part.isMessage() && part.kind != other.kind &&
            part.communicator == other.communicator && part.peer == from)
          return &part;
  return nullptr;
}

std::vector<ExchangePart *> EmulatedDevice::partners(ExchangePart &part) {
  if (part.isMessage()) {
    ExchangePart *other = machine.devices[part.peer]->frontMessage(part, rank);
    if (!other)
      return {};
    if (other->count != part.count)
      machine.fail(fmt::format("rank {} has come to {}, rank {} to {}", rank,
                               part.describe(), part.peer, other->describe()));
    return part.kind == ExchangePart::Kind::Send ? std::vector{&part, other}
                                                 : std::vector{other, &part};
  }
  if (frontCollective(part.communicator) != &part)
    return {};
  std::vector<ExchangePart *> all;
  for (int other : ranksOf(part.communicator))
    all.push_back(machine.devices[other]->frontCollective(part.communicator));
  if (std::ranges::find(all, nullptr) != all.end())
    return {};
  for (size_t i = 0; i < all.size(); ++i) {
    const ExchangePart &other = *all[i];
    if (other.kind != part.kind || other.type != part.type ||
        other.reduction != part.reduction || other.count != part.count)
      machine.fail(fmt::format(
          "ranks {} of one communicator differ: rank {} has come to {}, "
          "rank {} to {}",
          fmt::join(ranksOf(part.communicator), ", "), rank, part.describe(),
          ranksOf(part.communicator)[i], other.describe()));
  }
  return all;
}

void EmulatedDevice::complete(std::vector<ExchangePart *> parts) {
  const ExchangePart &first = *parts.front();
  int64_t bytes = first.count * runtime::byteSize(first.type);
  switch (first.kind) {
  case ExchangePart::Kind::Send:
  case ExchangePart::Kind::Receive:
    std::memcpy(pointer(parts[1]->out), pointer(parts[0]->in), bytes);
    break;
  case ExchangePart::Kind::AllGather: {
    std::vector<std::byte> all;
    for (const ExchangePart *part : parts)
      all.insert(all.end(), pointer(part->in), pointer(part->in) + bytes);
    for (const ExchangePart *part : parts)
      std::ranges::copy(all, pointer(part->out));
    break;
  }
  case ExchangePart::Kind::AllReduce:
  case ExchangePart::Kind::ReduceScatter: {
    bool isScatter = first.kind == ExchangePart::Kind::ReduceScatter;
    int64_t pieces = isScatter ? std::ssize(parts) : 1;
    std::vector<const void *> sources;
    for (const ExchangePart *part : parts)
      sources.push_back(pointer(part->in));
    std::vector<std::byte> all(bytes * pieces);
    runtime::reduceElements(first.type, first.reduction, sources, all.data(),
                            first.count * pieces);
    for (size_t i = 0; i < parts.size(); ++i)
      std::memcpy(pointer(parts[i]->out),
                  all.data() + (isScatter ? i * bytes : 0), bytes);
    break;
  }
  }
  for (ExchangePart *part : parts)
    part->isDone = true;
}

} // namespace shardsmith::emulator
