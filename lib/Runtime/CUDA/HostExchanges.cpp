// SPDX-License-Identifier: Apache-2.0

#include "HostExchanges.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace shardsmith::runtime::cuda {
namespace {

size_t unsignedSize(int64_t bytes) { return static_cast<size_t>(bytes); }

} // namespace

int HostExchanges::makeCommunicator(
    const std::vector<std::vector<int>> &lists) {
  size_t number = channels.size(), groups = rendezvous.groups().groups.size();
  std::optional<size_t> channel;
  bool isKnown = false;
  if (number < groups) {
    isKnown =
        std::ranges::find(lists, rendezvous.groups().groups[number].ranks) !=
        lists.end();
  } else if (lists.size() == 1 && lists.front().size() == 2) {
    channel = rendezvous.groups().channels.find(lists.front().front(),
                                                lists.front().back());
    isKnown = channel.has_value();
  }
  if (!isKnown)
    fail(ExitCode::Internal,
         "communicator {} is none of the program's groups and channels",
         number);
  channels.push_back(channel);
  return static_cast<int>(number);
}

const Group &HostExchanges::groupAt(int communicator) const {
  return rendezvous.groups().groups.at(static_cast<size_t>(communicator));
}

void HostExchanges::waitFor(int stream) {
  constexpr auto pause = std::chrono::microseconds(50);
  while (!streams.isIdle(stream)) {
    rendezvous.checkPeers();
    // Nothing on the GPU waits for others, so its work ends.
    rendezvous.noteProgress();
    std::this_thread::sleep_for(pause);
  }
}

void HostExchanges::fetch(int stream, std::byte *to, DevicePointer from,
                          int64_t bytes) {
  gpu.check(gpu.driver().copyToHost(to, from, unsignedSize(bytes),
                                    streams.stream(stream)),
            "cuMemcpyDtoHAsync");
  waitFor(stream);
}

void HostExchanges::store(int stream, DevicePointer to, const std::byte *from,
                          int64_t bytes) {
  gpu.check(gpu.driver().copyToDevice(to, from, unsignedSize(bytes),
                                      streams.stream(stream)),
            "cuMemcpyHtoDAsync");
  waitFor(stream);
}

template <typename Call> void HostExchanges::named(int stream, Call call) {
  try {
    call();
  } catch (const Failure &failure) {
    // Without words: another rank says them.
    std::string what = failure.what();
    if (std::optional<std::string> name = log.announced();
        name && !what.empty())
      throw Failure(failure.code(), fmt::format("{}: {}", *name, what));
    throw;
  }
  log.add(stream);
}

template <typename Call>
void HostExchanges::stage(int stream, DevicePointer in, int64_t inBytes,
                          DevicePointer out, int64_t outBytes, Call call) {
  named(stream, [&] {
    Bytes input(unsignedSize(inBytes)), output(unsignedSize(outBytes));
    fetch(stream, input.data(), in, inBytes);
    call(input.data(), output.data());
    store(stream, out, output.data(), outBytes);
  });
}

void HostExchanges::allReduce(int stream, int communicator, ElementType type,
                              Reduction reduction, DevicePointer in,
                              DevicePointer out, int64_t count) {
  int64_t bytes = count * byteSize(type);
  stage(stream, in, bytes, out, bytes,
        [&](const std::byte *input, std::byte *output) {
          rendezvous.transport().allReduce(groupAt(communicator), type,
                                           reduction, input, output, count);
        });
}

void HostExchanges::allGather(int stream, int communicator, DevicePointer in,
                              DevicePointer out, int64_t bytes) {
  const Group &group = groupAt(communicator);
  stage(stream, in, bytes, out, bytes * group.size(),
        [&](const std::byte *input, std::byte *output) {
          rendezvous.transport().allGather(group, input, output, 1, bytes);
        });
}

void HostExchanges::reduceScatter(int stream, int communicator,
                                  ElementType type, Reduction reduction,
                                  DevicePointer in, DevicePointer out,
                                  int64_t count) {
  const Group &group = groupAt(communicator);
  int64_t bytes = count * byteSize(type);
  stage(stream, in, bytes * group.size(), out, bytes,
        [&](const std::byte *input, std::byte *output) {
          rendezvous.transport().reduceScatter(group, type, reduction, input,
                                               output, 1, count);
        });
}

void HostExchanges::exchange(int stream, int communicator, int64_t bytes,
                             std::span<const device::Message> messages) {
  named(stream, [&] {
    auto channel = channels.at(static_cast<size_t>(communicator));
    if (!channel)
      return exchangeInGroup(stream, groupAt(communicator), bytes, messages);
    for (const device::Message &message : messages)
      sendOrReceive(stream, *channel, bytes, message);
  });
}

void HostExchanges::sendOrReceive(int stream, size_t channel, int64_t bytes,
                                  const device::Message &message) {
  Bytes kept(unsignedSize(bytes));
  if (message.isSend) {
    fetch(stream, kept.data(), message.at, bytes);
    return rendezvous.transport().send(channel, kept.data(), bytes);
  }
  int64_t got = rendezvous.transport().receive(channel, kept.data(), bytes);
  if (got != bytes)
    fail(ExitCode::Internal, "a message has {} bytes, where {} are expected",
         got, bytes);
  store(stream, message.at, kept.data(), bytes);
}

/// All members come to it, and exchange a block with each: [member][bytes].
void HostExchanges::exchangeInGroup(int stream, const Group &group,
                                    int64_t bytes,
                                    std::span<const device::Message> messages) {
  auto members = static_cast<size_t>(group.size());
  Bytes sent(members * unsignedSize(bytes)), received(sent.size());
  RowBlocks blocks{1, bytes, std::vector<int64_t>(members),
                   std::vector<int64_t>(members)};
  for (const device::Message &message : messages) {
    auto peer = static_cast<size_t>(message.peer);
    (message.isSend ? blocks.sends : blocks.receives)[peer] = bytes;
    if (message.isSend)
      fetch(stream, sent.data() + peer * unsignedSize(bytes), message.at,
            bytes);
  }
  rendezvous.transport().exchangeRows(group, sent.data(), received.data(),
                                      blocks);
  for (const device::Message &message : messages)
    if (!message.isSend)
      store(stream, message.at,
            received.data() +
                static_cast<size_t>(message.peer) * unsignedSize(bytes),
            bytes);
}

} // namespace shardsmith::runtime::cuda
