// SPDX-License-Identifier: Apache-2.0
//
// One rank of a job that exchanges messages and checks every one of them: its
// bytes are a function of sender, receiver and number.
//
//   RuntimeMessageChecker MODE SEED shm|mpi
//
// `random`: all ranks draw the same story of sends, receives and all-reduces,
// and each does its own part of it. Messages that fit into their channel are
// received at any later time. One that does not is received, with all before
// it, right afterwards, so that somebody can always go on:
//
//   0: send 1     send 2 (large)   ...
//   1: ...        receive 1, 2     ...
//
// The other modes are single situations; those that must fail say how.

#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include <unistd.h>

using namespace shardsmith::runtime;

namespace {

constexpr int64_t arenaBytes = 1 << 20;

class Checker {
public:
  Checker(smith_context &context, uint8_t *arena, uint32_t seed)
      : context(context), arena(arena), seed(seed), random(seed),
        counts(context.groups.channels.size()) {}

  /// All ranks draw the same numbers, and tell the same story.
  void tellRandomStory(int events) {
    std::vector<std::deque<int64_t>> underWay(channels().size());
    for (int event = 0; event < events; ++event) {
      size_t channel = random() % channels().size();
      std::deque<int64_t> &queue = underWay[channel];
      if (random() % 20 == 0) {
        reduce(event);
      } else if (random() % 2 == 0 && !queue.empty()) {
        receive(channel, queue.front());
        queue.pop_front();
      } else {
        queue.push_back(drawSize());
        send(channel, queue.back());
        int64_t sum = 0;
        for (int64_t bytes : queue)
          sum += bytes;
        for (; sum > channels()[channel].bytes && !queue.empty();
             queue.pop_front())
          receive(channel, queue.front());
      }
    }
    for (size_t channel = 0; channel < underWay.size(); ++channel)
      for (int64_t bytes : underWay[channel])
        receive(channel, bytes);
    checkTraffic();
  }

  /// Every rank sends to all others before it receives anything; all of it
  /// fits.
  void sendBeforeReceiving() {
    for (size_t channel = 0; channel < channels().size(); ++channel)
      send(channel, channels()[channel].bytes);
    for (size_t channel = 0; channel < channels().size(); ++channel)
      receive(channel, channels()[channel].bytes);
  }

  /// Sizes around those of pieces and channels, and far beyond them, from
  /// every rank to the next.
  void sendMoreThanFits() {
    for (int64_t bytes : {0, 1, 7, 8, 65536, 131072, 1 << 20, (1 << 20) + 1,
                          3 << 20, 10'000'019, 0, 5})
      for (size_t channel = 0; channel < channels().size(); ++channel) {
        const Channel &ends = channels()[channel];
        if (ends.to != (ends.from + 1) % context.manifest.ranks)
          continue;
        send(channel, bytes);
        receive(channel, bytes);
      }
  }

  /// As many small messages as a channel holds, with nothing between them.
  void sendManySmall() {
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 3000; ++i)
        send(0, i % 5);
      for (int i = 0; i < 3000; ++i)
        receive(0, i % 5);
    }
  }

  void send(size_t channel, int64_t bytes) {
    int64_t number = counts[channel].sent++;
    if (channels()[channel].from != context.rank())
      return;
    uint8_t *data = place(bytes);
    writePattern(channel, number, data, bytes);
    smith_send(&context, channels()[channel].to, data, bytes);
    std::fill_n(data, bytes, 0xee); // it has been copied
    sentBytes += bytes;
    ++sentMessages;
  }

  void receive(size_t channel, int64_t bytes) {
    int64_t number = counts[channel].received++;
    if (channels()[channel].to != context.rank())
      return;
    uint8_t *data = place(bytes);
    smith_receive(&context, channels()[channel].from, data, bytes);
    expected.resize(static_cast<size_t>(bytes));
    writePattern(channel, number, expected.data(), bytes);
    if (!std::equal(expected.begin(), expected.end(), data))
      fail(ExitCode::Internal, "seed {}: message {} from rank {} to {} differs",
           seed, number, channels()[channel].from, context.rank());
  }

private:
  const ChannelTable &channels() const { return context.groups.channels; }

  /// A buffer of this size in the arena or elsewhere; its own choice of every
  /// rank.
  uint8_t *place(int64_t bytes) {
    if (bytes <= arenaBytes && (++places + context.rank()) % 2 == 0)
      return arena;
    heap.resize(static_cast<size_t>(bytes));
    return heap.data();
  }

  void writePattern(size_t channel, int64_t number, uint8_t *data,
                    int64_t bytes) const {
    uint64_t state = seed * 31 + channel * 1'000'003 + number * 7919;
    for (int64_t i = 0; i < bytes; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      data[i] = static_cast<uint8_t>(state >> 56);
    }
  }

  /// Mostly small, sometimes larger than a channel, a twelfth empty.
  int64_t drawSize() {
    int64_t bound = int64_t(1) << (random() % 20);
    return random() % 12 == 0 ? 0 : random() % bound + 1;
  }

  void reduce(int event) {
    int32_t sum = event + context.rank(), ranks = context.manifest.ranks;
    context.allReduce(0, SMITH_I32, SMITH_SUM, &sum, &sum, 1);
    if (sum != ranks * event + ranks * (ranks - 1) / 2)
      fail(ExitCode::Internal, "seed {}: sum of event {} is {}", seed, event,
           sum);
  }

  /// The mesh has one axis, so all messages are along it.
  void checkTraffic() const {
    const TrafficCount &count = context.traffic.ofSends(0);
    if (count.calls != sentMessages || count.bytes != sentBytes)
      fail(ExitCode::Internal, "{} bytes in {} messages counted as {} in {}",
           sentBytes, sentMessages, count.bytes, count.calls);
  }

  struct Counts {
    int64_t sent = 0, received = 0;
  };

  smith_context &context;
  uint8_t *arena;
  uint64_t seed;
  std::mt19937 random;
  std::vector<Counts> counts;
  std::vector<uint8_t> heap, expected;
  int64_t sentBytes = 0, sentMessages = 0;
  int places = 0;
};

/// Channels of random sizes between most pairs of ranks, or of the given size
/// between all.
std::vector<Channel> makeChannels(int ranks, std::mt19937 &random,
                                  std::optional<int64_t> bytes) {
  std::vector<Channel> channels;
  for (int to = 0; to < ranks; ++to)
    for (int from = 0; from < ranks; ++from)
      if (from != to && (bytes || random() % 4 > 0 || channels.empty()))
        channels.push_back({from, to, bytes.value_or(random() % 200'000)});
  return channels;
}

/// Rank 0 and rank 1 behave as a program must not, or as the one has to when
/// the other dies.
void misbehave(smith_context &context, const std::string &mode) {
  std::vector<uint8_t> data(4 << 20);
  bool isFirst = context.rank() == 0;
  context.step = 7;
  context.transport->noteStep(7);
  if (mode == "mismatch" && isFirst)
    smith_send(&context, 1, data.data(), 12);
  else if (mode == "mismatch" && context.rank() == 1)
    smith_receive(&context, 0, data.data(), 16);
  else if (mode == "unconnected" && isFirst)
    smith_send(&context, 0, data.data(), 1);
  else if (mode == "unannounced" && isFirst)
    smith_receive(&context, 99, data.data(), 1);
  else if (mode.starts_with("killed") && context.rank() == 1)
    kill(getpid(), SIGKILL);
  else if (mode == "killed-sender" && isFirst)
    smith_receive(&context, 1, data.data(), 1);
  else if (mode == "killed-receiver" && isFirst)
    smith_send(&context, 1, data.data(), std::ssize(data));
  else if (mode == "deadlock" && context.rank() < 2)
    smith_receive(&context, 1 - context.rank(), data.data(), 1);
  else if (mode == "full" && isFirst)
    smith_send(&context, 1, data.data(), std::ssize(data));
  context.barrier();
}

void check(const std::string &mode, uint32_t seed, TransportChoice choice) {
  LaunchEnvironment environment = readLaunchEnvironment();
  std::mt19937 random(seed);
  std::optional<int64_t> bytes;
  if (mode == "before")
    bytes = 3'000'000;
  else if (mode != "random")
    bytes = mode == "beyond" ? 0 : 100'000;
  Manifest manifest;
  manifest.ranks = environment.ranks;
  manifest.mesh = {{"x", environment.ranks}};
  manifest.channels = makeChannels(environment.ranks, random, bytes);
  std::vector<int> everyone;
  for (int rank = 0; rank < environment.ranks; ++rank)
    everyone.push_back(rank);
  manifest.groups.push_back({{"x"}, {everyone}});

  GroupTable groups(manifest, environment.rank);
  ThreadTeam team(chooseThreadCount(environment.localRanks));
  TransportOptions options;
  // Rank 0 is the one that loses patience.
  if ((mode == "deadlock" || mode == "full") && environment.rank == 0)
    options.deadline = std::chrono::seconds(2);
  smith_context context(
      manifest, environment,
      makeTransport(choice, groups, seed, environment, team, options), team,
      groups);
  try {
    // Ranks may have arenas of unequal sizes.
    Checker checker(context,
                    context.transport->allocateArena(
                        arenaBytes + environment.rank * int64_t(12345)),
                    seed);
    if (mode == "random")
      checker.tellRandomStory(2000);
    else if (mode == "before")
      checker.sendBeforeReceiving();
    else if (mode == "beyond")
      checker.sendMoreThanFits();
    else if (mode == "many")
      checker.sendManySmall();
    else
      misbehave(context, mode);
    context.transport->finish();
  } catch (const Failure &failure) {
    context.end(failure);
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count != 4)
    return static_cast<int>(ExitCode::Usage);
  try {
    check(arguments[1], static_cast<uint32_t>(std::atoi(arguments[2])),
          std::string(arguments[3]) == "mpi" ? TransportChoice::Mpi
                                             : TransportChoice::SharedMemory);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return static_cast<int>(failure.code());
  }
}
