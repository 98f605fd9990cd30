// SPDX-License-Identifier: Apache-2.0
//
// Speed of the collectives and of messages between processes of this machine,
// beside the speed of memcpy in the same run.
//
//   collectives [RANKS [BYTES [shm|mpi]]]
//
// GB/s is the size of the larger of input and output of one rank, divided by
// the time of the call; the last column divides it by what memcpy gets when
// all ranks copy at once, which is the most that the memory allows.

#include "shardsmith/Runtime/Launch/Launcher.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <unistd.h>

using namespace shardsmith::runtime;

namespace {

class Bench {
public:
  Bench(smith_context &context, uint8_t *arena, int64_t largest)
      : context(context), in(arena), out(arena + largest), largest(largest) {}

  void run() {
    std::memset(in, 0, static_cast<size_t>(2 * largest));
    say("%d ranks, %d threads each, %s\n", context.manifest.ranks,
        context.team.threads(), context.transport->name().c_str());
    copyRate = static_cast<double>(largest) /
               secondsOf([&] { context.team.copy(out, in, largest); }, 10);
    say("%-16s %10lld bytes %12s %8.2f GB/s\n", "memcpy",
        static_cast<long long>(largest), "", copyRate / 1e9);
    for (int64_t bytes : {int64_t(8), int64_t(4) << 10, int64_t(256) << 10,
                          int64_t(4) << 20, largest})
      if (bytes <= largest)
        runSize(bytes);
  }

private:
  void runSize(int64_t bytes) {
    int ranks = context.manifest.ranks;
    int64_t count = bytes / 4, share = count / ranks;
    std::vector<int32_t> next(ranks);
    for (int rank = 0; rank < ranks; ++rank)
      next[rank] = (rank + 1) % ranks;
    measure("all_reduce", bytes,
            [&] { context.allReduce(0, SMITH_F32, SMITH_SUM, in, in, count); });
    measure("all_reduce bf16", bytes, [&] {
      context.allReduce(0, SMITH_BF16, SMITH_SUM, in, in, count * 2);
    });
    if (share > 0) {
      measure("all_gather", bytes,
              [&] { context.allGather(0, in, out, 1, share * 4); });
      measure("reduce_scatter", bytes, [&] {
        context.reduceScatter(0, SMITH_F32, SMITH_SUM, in, out, 1, share);
      });
      measure("all_to_all", bytes,
              [&] { context.allToAll(0, in, out, share * 4); });
    }
    measure("permute", bytes, [&] {
      context.permute(/*group=*/-1, next.data(), in, out, bytes);
    });
    int self = context.rank();
    if (ranks > 1)
      measure("send, receive", bytes, [&] {
        context.send(next[self], in, bytes);
        context.receive((self + ranks - 1) % ranks, out, bytes);
      });
  }

  void measure(const char *name, int64_t bytes,
               const std::function<void()> &call) {
    int64_t repeats =
        std::clamp<int64_t>((int64_t(256) << 20) / bytes, 5, 2000);
    double seconds = secondsOf(call, static_cast<int>(repeats));
    double rate = static_cast<double>(bytes) / seconds;
    say("%-16s %10lld bytes %9.1f us %8.2f GB/s %6.2f of memcpy\n", name,
        static_cast<long long>(bytes), seconds * 1e6, rate / 1e9,
        rate / copyRate);
  }

  /// Per call, of the best of three rounds.
  double secondsOf(const std::function<void()> &call, int repeats) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
      context.barrier();
      Clock::time_point begin = Clock::now();
      for (int i = 0; i < repeats; ++i)
        call();
      std::chrono::duration<double> elapsed = Clock::now() - begin;
      best = std::min(best, elapsed.count() / repeats);
    }
    return best;
  }

  template <typename... Arguments>
  void say(const char *format, Arguments... arguments) {
    if (context.rank() == 0)
      std::printf(format, arguments...);
  }

  smith_context &context;
  uint8_t *in, *out;
  int64_t largest;
  double copyRate = 0;
};

void runRank(const LaunchEnvironment &environment, int64_t bytes,
             TransportChoice choice) {
  Manifest manifest;
  manifest.ranks = environment.ranks;
  std::vector<int> everyone(environment.ranks);
  std::iota(everyone.begin(), everyone.end(), 0);
  manifest.groups.push_back({{}, {everyone}});
  manifest.mesh = {{"x", environment.ranks}};
  for (int rank = 0; environment.ranks > 1 && rank < environment.ranks; ++rank)
    manifest.channels.push_back({rank, (rank + 1) % environment.ranks, bytes});
  GroupTable groups(manifest, environment.rank);
  ThreadTeam team(chooseThreadCount(environment.localRanks));
  smith_context context(manifest, environment,
                        makeTransport(choice, groups, 1, environment, team, {}),
                        team, groups);
  try {
    uint8_t *arena = context.transport->allocateArena(2 * bytes);
    Bench(context, arena, bytes).run();
    context.transport->finish();
  } catch (const Failure &failure) {
    context.end(failure);
  }
}

} // namespace

int main(int count, char **arguments) {
  int ranks = count > 1 ? std::max(1, std::atoi(arguments[1])) : 2;
  int64_t bytes = count > 2 ? std::atoll(arguments[2]) : 64 << 20;
  bool useMpi = count > 3 && std::string(arguments[3]) == "mpi";
  bytes = std::max<int64_t>(bytes / 64 * 64, 64);
  LaunchEnvironment environment = readLaunchEnvironment();
  if (!environment.launcher.empty()) {
    runRank(environment, bytes,
            useMpi ? TransportChoice::Mpi : TransportChoice::Automatic);
    return 0;
  }
  LocalLaunch launch;
  launch.program = "/proc/self/exe";
  launch.arguments.assign(arguments + 1, arguments + count);
  launch.ranks = ranks;
  return launchLocal(launch);
}
