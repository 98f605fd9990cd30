// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Initialize.h"

#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Random.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace shardsmith::runtime {
namespace {

/// Elements of a run that are generated at once.
constexpr int64_t blockLength = 4096;

/// value = constant, or normal with a standard deviation.
struct Init {
  bool isNormal;
  double parameter;
};

std::string_view initText(const Argument &argument) {
  if (!argument.init.empty())
    return argument.init;
  return argument.role == Role::Param ? "normal:0.02" : "zeros";
}

Init parseInit(const Argument &argument) {
  std::string_view text = initText(argument);
  if (text == "zeros")
    return {false, 0.0};
  if (text == "ones")
    return {false, 1.0};
  size_t colon = text.find(':');
  std::string_view kind = text.substr(0, colon);
  if (colon != std::string_view::npos &&
      (kind == "constant" || kind == "normal")) {
    double parameter = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] =
        std::from_chars(text.data() + colon + 1, end, parameter);
    if (error == std::errc() && stop == end)
      return {kind == "normal", parameter};
  }
  fail(ExitCode::BadInput,
       "argument \"{}\": init \"{}\": expected zeros, ones, constant:V or "
       "normal:STDDEV",
       argument.name, text);
}

/// Calls fillBlock(globalOffset, localOffset, length) for all of the shard.
template <typename FillBlock>
void fillRuns(const Shard &shard, const ThreadTeam &team, FillBlock fillBlock) {
  std::vector<Run> runs = contiguousRuns(shard, blockLength);
  team.parallelFor(static_cast<int64_t>(runs.size()), 16,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i)
                       fillBlock(runs[i].global, runs[i].local, runs[i].length);
                   });
}

void fillNormal(const Tensor &tensor, const Shard &shard,
                const RandomStream &stream, double deviation, void *local,
                const ThreadTeam &team) {
  fillRuns(shard, team, [&](int64_t global, int64_t offset, int64_t length) {
    double values[blockLength];
    stream.normal(static_cast<uint64_t>(global), length, values);
    for (int64_t i = 0; i < length; ++i)
      values[i] *= deviation;
    storeFromDoubles(tensor.type, local, offset, values, length);
  });
}

} // namespace

void checkInit(const Argument &argument) { parseInit(argument); }

void initialize(const Argument &argument, const Shard &shard, uint64_t seed,
                void *local, const ThreadTeam &team) {
  Init init = parseInit(argument);
  if (init.isNormal)
    return fillNormal(argument, shard, RandomStream(seed, argument.name),
                      init.parameter, local, team);
  fillRuns(shard, team, [&](int64_t, int64_t offset, int64_t length) {
    double values[blockLength];
    std::fill(values, values + length, init.parameter);
    storeFromDoubles(argument.type, local, offset, values, length);
  });
}

void synthesize(const Argument &argument, const Shard &shard, uint64_t seed,
                int64_t step, void *local, const ThreadTeam &team) {
  RandomStream stream(seed, fmt::format("step{}/{}", step, argument.name));
  if (isFloat(argument.type))
    return fillNormal(argument, shard, stream, 1.0, local, team);

  // The largest word maps to limit − 1; limits beyond 2^32 are not reached.
  uint64_t limit = std::min<uint64_t>(argument.limit.value_or(2), 1ull << 32);
  fillRuns(shard, team, [&](int64_t global, int64_t offset, int64_t length) {
    for (int64_t i = 0; i < length; ++i) {
      uint64_t word = stream.word(static_cast<uint64_t>(global + i));
      storeFromDouble(argument.type, local, offset + i,
                      static_cast<double>(word * limit >> 32));
    }
  });
}

} // namespace shardsmith::runtime
