// SPDX-License-Identifier: Apache-2.0
//
// Every figure is the best of a few rounds: what the slowest rank takes when
// nothing else disturbs it. A round lasts from the first rank's begin to the
// last rank's end. No single rank's clock tells this: where ranks share cores,
// one that waits for its turn behind the barrier begins when others have ended.

#include "MachineMeasurement.h"

#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Rank/ProcessorLibraries.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace shardsmith::runtime {
namespace {

constexpr int64_t mebibyte = int64_t(1) << 20;
/// Of each of the three arrays that a kernel streams through.
constexpr int64_t streamBytes = 24 * mebibyte;
constexpr int rounds = 15;
/// After which a figure gets no further rounds.
constexpr int64_t mostNanoseconds = 300'000'000;

class Measurement {
public:
  Measurement(smith_context &context, uint8_t *arena)
      : context(context), arena(arena) {}

  nlohmann::json run() {
    std::memset(arena, 0, size_t(3 * streamBytes));
    nlohmann::json result;
    result["tflops"] = {{"f32", product(SMITH_F32, 4, 256, 3072, 768) / 1e12},
                        {"bf16", product(SMITH_BF16, 2, 256, 3072, 768) / 1e12},
                        {"f64", product(SMITH_F64, 8, 64, 256, 256) / 1e12}};
    result["stream_bytes_per_s"] = streamed();
    result["kernel_s"] = emptyKernel();
    result["collectives"] = nlohmann::json::array();
    int ranks = context.manifest.ranks;
    if (ranks > 1)
      measureMessages(result);
    for (size_t group = 0; group < context.manifest.groups.size(); ++group)
      measureGroup(int(group), result["collectives"]);
    return result;
  }

private:
  using Clock = std::chrono::steady_clock;

  /// Since the clock's epoch, which all ranks of a machine share.
  static int64_t nanoseconds(Clock::time_point time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
  }

  /// Per call, of the best round. All ranks call as often.
  template <typename Call> double secondsOf(Call call, int repeats) {
    call();
    double best = 1e9;
    Clock::time_point start = Clock::now();
    for (int round = 0; round < rounds; ++round) {
      context.barrier();
      int64_t begin = nanoseconds(Clock::now());
      for (int i = 0; i < repeats; ++i)
        call();
      int64_t end = nanoseconds(Clock::now());
      int64_t firstBegin = -context.maximum(-begin);
      int64_t elapsed = context.maximum(end) - firstBegin;
      best = std::min(best, 1e-9 * double(elapsed) / repeats);
      // On a machine that is busy with other things; all ranks decide alike.
      if (context.maximum((Clock::now() - start).count()) > mostNanoseconds)
        break;
    }
    return best;
  }

  /// Operations per second of m × k by k × n.
  double product(smith_dtype type, int64_t bytes, int64_t m, int64_t n,
                 int64_t k) {
    smith_gemm gemm{};
    gemm.id = nextProduct++;
    gemm.a_dtype = gemm.b_dtype = gemm.c_dtype = type;
    gemm.m = m;
    gemm.n = n;
    gemm.k = k;
    gemm.a_m_stride = k;
    gemm.a_k_stride = 1;
    gemm.b_k_stride = n;
    gemm.b_n_stride = 1;
    gemm.c_m_stride = n;
    gemm.c_n_stride = 1;
    uint8_t *a = arena, *b = a + m * k * bytes, *c = b + k * n * bytes;
    double seconds = secondsOf(
        [&] { runtime::processorLibraries(context).gemms.run(gemm, a, b, c); },
        1);
    return 2.0 * double(m) * double(n) * double(k) / seconds;
  }

  /// Bytes per second of a kernel with two inputs and a result.
  double streamed() {
    auto *x = reinterpret_cast<float *>(arena);
    float *y = x + streamBytes / 4, *z = y + streamBytes / 4;
    auto kernel = [&] {
      context.team.parallelFor(streamBytes / 4, 4096,
                               [&](int64_t begin, int64_t end) {
                                 for (int64_t i = begin; i < end; ++i)
                                   z[i] = 0.5f * x[i] + y[i];
                               });
    };
    return double(3 * streamBytes) / secondsOf(kernel, 1);
  }

  double emptyKernel() {
    auto nothing = [](void *, int64_t, int64_t) {};
    return secondsOf(
        [&] {
          context.team.parallelFor(nothing, nullptr, context.team.threads(), 1);
        },
        200);
  }

  /// Latency of 1 KiB and bandwidth of `large` bytes beyond that.
  template <typename Call>
  std::pair<double, double> latencyAndRate(double volume, Call call) {
    constexpr int64_t small = 1 << 10, large = 8 * mebibyte;
    double latency = secondsOf([&] { call(small); }, 20);
    double whole = secondsOf([&] { call(large); }, 1);
    return {latency, volume * double(large) / std::max(whole - latency, 1e-9)};
  }

  void measureMessages(nlohmann::json &result) {
    int ranks = context.manifest.ranks;
    std::vector<int32_t> sources(size_t(ranks), 0);
    for (int rank = 0; rank < ranks; ++rank)
      sources[size_t(rank)] = (rank + 1) % ranks;
    auto [latency, rate] = latencyAndRate(1, [&](int64_t bytes) {
      context.permute(/*group=*/-1, sources.data(), arena, arena + streamBytes,
                      bytes);
    });
    result["message_s"] = latency;
    result["message_bytes_per_s"] = rate;
  }

  /// `bytes` is the whole tensor, as in the cost model.
  void measureGroup(int group, nlohmann::json &list) {
    int64_t members = context.groups.groups[size_t(group)].size();
    uint8_t *in = arena, *out = arena + streamBytes;
    double share = double(members - 1) / double(members);
    auto add = [&](const char *name, double volume, auto call) {
      auto [latency, rate] = latencyAndRate(volume, call);
      list.push_back({{"collective", name},
                      {"members", members},
                      {"latency_s", latency},
                      {"bytes_per_s", rate}});
    };
    add("all_reduce", 2 * share, [&](int64_t bytes) {
      context.allReduce(group, SMITH_F32, SMITH_SUM, in, in, bytes / 4);
    });
    add("all_gather", share, [&](int64_t bytes) {
      context.allGather(group, in, out, 1, bytes / members / 4 * 4);
    });
    add("reduce_scatter", share, [&](int64_t bytes) {
      context.reduceScatter(group, SMITH_F32, SMITH_SUM, in, out, 1,
                            bytes / members / 4);
    });
    add("all_to_all", share, [&](int64_t bytes) {
      context.allToAll(group, in, out, bytes / members / 4 * 4);
    });
  }

  smith_context &context;
  uint8_t *arena;
  int32_t nextProduct = 0;
};

/// Groups of 2, 4, … neighbours, the last of all ranks.
Manifest groupsOf(int ranks) {
  Manifest manifest;
  manifest.ranks = ranks;
  std::vector<int> sizes;
  for (int members = 2; members < ranks && ranks % members == 0; members *= 2)
    sizes.push_back(members);
  if (ranks > 1)
    sizes.push_back(ranks);
  for (int members : sizes) {
    RankGroups groups;
    for (int first = 0; first < ranks; first += members) {
      groups.ranks.emplace_back(members);
      std::iota(groups.ranks.back().begin(), groups.ranks.back().end(), first);
    }
    manifest.groups.push_back(std::move(groups));
  }
  return manifest;
}

} // namespace

/// As rank 0 writes it for the parent process.
static nlohmann::json measure(smith_context &context) {
  uint8_t *arena = context.transport->allocateArena(3 * streamBytes);
  return Measurement(context, arena).run();
}

} // namespace shardsmith::runtime

namespace shardsmith {

ExitCode measureAsRank(const std::string &file) {
  using namespace runtime;
  try {
    LaunchEnvironment environment = readLaunchEnvironment();
    Manifest manifest = groupsOf(environment.ranks);
    GroupTable groups(manifest, environment.rank);
    ThreadTeam team(chooseThreadCount(environment.localRanks));
    smith_context context(manifest, environment,
                          makeTransport(TransportChoice::Automatic, groups, 1,
                                        environment, team, {}),
                          team, groups);
    try {
      nlohmann::json result = measure(context);
      if (environment.rank == 0)
        std::ofstream(file) << result.dump();
      context.transport->finish();
    } catch (const runtime::Failure &failure) {
      context.end(failure);
    }
  } catch (const runtime::Failure &failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return shardsmith::ExitCode::Environment;
  }
  return shardsmith::ExitCode::Success;
}

} // namespace shardsmith
