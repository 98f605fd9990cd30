// SPDX-License-Identifier: Apache-2.0
//
// One rank of a job that runs random collectives and checks every result
// against a computation by itself: inputs are a function of rank, trial and
// position, so each rank knows what the others hold. Values are small
// integers, for which every type's arithmetic is exact in any order; the
// order of reductions is checked apart, on values that round.
//
//   collective_checker SEED TRIALS shm|mpi

#include "shardsmith/Runtime/Random.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Reduce.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace shardsmith::runtime;

namespace {

constexpr int64_t arenaBytes = 24 << 20;

/// Groups: all ranks; neighbours of random, unequal sizes; all alone.
Manifest makeManifest(int ranks, std::mt19937 &random) {
  Manifest manifest;
  manifest.ranks = ranks;
  manifest.mesh = {{"x", ranks}};
  manifest.arenaBytes = arenaBytes;
  std::vector<int> order(ranks);
  std::iota(order.begin(), order.end(), 0);
  manifest.groups.push_back({{"x"}, {order}});
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::shuffle(order.begin(), order.end(), random);
    RankGroups groups;
    for (size_t begin = 0; begin < order.size();) {
      size_t end = std::min(order.size(), begin + 1 + random() % 4);
      groups.ranks.emplace_back(order.begin() + begin, order.begin() + end);
      begin = end;
    }
    manifest.groups.push_back(groups);
  }
  return manifest;
}

enum class Place { Arena, Heap, InPlace };

class Checker {
public:
  Checker(smith_context &context, uint8_t *arena, uint32_t seed)
      : context(context), arena(arena), seed(seed), random(seed) {}

  /// All ranks draw the same random numbers, so they make the same calls.
  void run(int trials) {
    for (trial = 0; trial < trials; ++trial) {
      int group = static_cast<int>(random() % context.manifest.groups.size());
      auto place = static_cast<Place>(random() % 3);
      switch (random() % 7) {
      case 0:
        checkAllReduce(group, place);
        break;
      case 1:
        checkAllGather(group, place);
        break;
      case 2:
        checkReduceScatter(group, place);
        break;
      case 3:
        checkAllToAll(group, place);
        break;
      case 4:
        checkGrouped(group);
        break;
      case 5:
        checkExchangeRows(group, place);
        break;
      default:
        checkPermute(random() % 3 == 0 ? -1 : group, place);
      }
    }
    checkOrder();
    checkBurst();
  }

private:
  /// The element at `index` of the input of `rank` in this trial.
  double element(int rank, int64_t index, ElementType type,
                 Reduction reduction) const {
    std::array<uint32_t, 2> key{seed, static_cast<uint32_t>(trial)};
    uint32_t word = philox(
        {static_cast<uint32_t>(index), static_cast<uint32_t>(rank), 0, 0},
        key)[0];
    if (type == SMITH_BOOL)
      return word % 2;
    if (reduction == SMITH_PRODUCT)
      return 1 + word % 2;
    bool isSigned = isFloat(type) || type == SMITH_I8 || type == SMITH_I16 ||
                    type == SMITH_I32 || type == SMITH_I64;
    return isSigned ? static_cast<double>(word % 13) - 6 : word % 13;
  }

  /// Eight twos are 256: too large for eight bits, where integers wrap.
  static double wrapped(ElementType type, double value) {
    if (type == SMITH_U8)
      return static_cast<uint8_t>(static_cast<int64_t>(value));
    if (type == SMITH_I8)
      return static_cast<int8_t>(static_cast<int64_t>(value));
    return value;
  }

  static double combine(ElementType type, Reduction reduction, double a,
                        double b) {
    auto integerA = static_cast<int64_t>(a), integerB = static_cast<int64_t>(b);
    switch (reduction) {
    case SMITH_SUM:
      return type == SMITH_BOOL ? std::max(a, b) : a + b;
    case SMITH_PRODUCT:
      return wrapped(type, a * b);
    case SMITH_MAX:
      return std::max(a, b);
    case SMITH_MIN:
      return std::min(a, b);
    case SMITH_AND:
      return static_cast<double>(integerA & integerB);
    case SMITH_OR:
      return static_cast<double>(integerA | integerB);
    }
    return 0;
  }

  double reduced(const Group &group, int64_t index, ElementType type,
                 Reduction reduction) const {
    double value = element(group.ranks[0], index, type, reduction);
    for (int p = 1; p < group.size(); ++p)
      value = combine(type, reduction, value,
                      element(group.ranks[p], index, type, reduction));
    return value;
  }

  void draw(ElementType &type, Reduction &reduction) {
    type = static_cast<ElementType>(random() % 13);
    reduction = static_cast<Reduction>(random() % (isFloat(type) ? 4 : 6));
  }

  /// Mostly small, sometimes beyond the payload, the bounce buffer or a
  /// block of the pipeline; never more than `most`.
  int64_t drawSize(int64_t most) {
    int64_t bound = std::min<int64_t>(most, int64_t(1) << (random() % 21));
    return random() % 12 == 0 ? 0 : random() % bound + 1;
  }

  /// Buffers of a trial, filled with this rank's input.
  void lay(Place place, int64_t inElements, int64_t outElements,
           ElementType type, Reduction reduction) {
    int64_t size = byteSize(type);
    if (place == Place::Heap) {
      heapIn.assign(static_cast<size_t>(inElements * size), 0);
      heapOut.assign(static_cast<size_t>(outElements * size), 0);
      in = heapIn.data();
      out = heapOut.data();
    } else {
      in = arena;
      out = arena + (inElements * size + 63) / 64 * 64;
    }
    if (place == Place::InPlace && inElements == outElements)
      out = in;
    for (int64_t i = 0; i < inElements; ++i)
      storeFromDouble(type, in, i, element(context.rank(), i, type, reduction));
  }

  void expect(ElementType type, int64_t index, double expected,
              const char *what) const {
    double found = loadAsDouble(type, out, index);
    if (found == expected)
      return;
    fail(ExitCode::Internal,
         "trial {} of seed {}: {} of {}, element {}: expected {}, found {}",
         trial, seed, what, name(type), index, expected, found);
  }

  void checkAllReduce(int index, Place place) {
    const Group &group = context.groups.groups[index];
    ElementType type;
    Reduction reduction;
    draw(type, reduction);
    int64_t count = drawSize(1 << 20);
    lay(place, count, count, type, reduction);
    context.allReduce(index, type, reduction, in, out, count);
    for (int64_t i = 0; i < count; ++i)
      expect(type, i, reduced(group, i, type, reduction), "all_reduce");
  }

  void checkAllGather(int index, Place place) {
    const Group &group = context.groups.groups[index];
    int64_t chunk = drawSize(200000),
            outer = drawSize(200000 / (chunk + 1) + 1);
    int64_t parts = group.size();
    lay(place, outer * chunk, outer * chunk * parts, SMITH_I32, SMITH_SUM);
    context.allGather(index, in, out, outer, chunk * 4);
    for (int64_t i = 0; i < outer * chunk * parts; ++i) {
      int64_t row = i / (parts * chunk), part = i / chunk % parts;
      expect(SMITH_I32, i,
             element(group.ranks[part], row * chunk + i % chunk, SMITH_I32,
                     SMITH_SUM),
             "all_gather");
    }
  }

  void checkReduceScatter(int index, Place place) {
    const Group &group = context.groups.groups[index];
    ElementType type;
    Reduction reduction;
    draw(type, reduction);
    int64_t chunk = drawSize(200000),
            outer = drawSize(200000 / (chunk + 1) + 1);
    int64_t parts = group.size();
    lay(place, outer * chunk * parts, outer * chunk, type, reduction);
    context.reduceScatter(index, type, reduction, in, out, outer, chunk);
    for (int64_t i = 0; i < outer * chunk; ++i) {
      int64_t from = (i / chunk * parts + group.position) * chunk + i % chunk;
      expect(type, i, reduced(group, from, type, reduction), "reduce_scatter");
    }
  }

  void checkAllToAll(int index, Place place) {
    const Group &group = context.groups.groups[index];
    int64_t block = drawSize(300000), parts = group.size();
    lay(place, block * parts, block * parts, SMITH_I16, SMITH_SUM);
    context.allToAll(index, in, out, block * 2);
    for (int64_t i = 0; i < block * parts; ++i)
      expect(SMITH_I16, i,
             element(group.ranks[i / block], group.position * block + i % block,
                     SMITH_I16, SMITH_SUM),
             "all_to_all");
  }

  /// Rows in use of a block from one member to another, with many empty and
  /// many full blocks among them.
  int64_t usedRows(int from, int to, int64_t block, int64_t slots) const {
    std::array<uint32_t, 2> key{seed + 1, static_cast<uint32_t>(trial)};
    uint32_t word =
        philox({static_cast<uint32_t>(from), static_cast<uint32_t>(to),
                static_cast<uint32_t>(block), 0},
               key)[0];
    if (word % 3 == 0)
      return word % 2 ? slots : 0;
    return word / 4 % (slots + 1);
  }

  void checkExchangeRows(int index, Place place) {
    const Group &group = context.groups.groups[index];
    int64_t parts = group.size(), rowBytes = drawSize(3000);
    smith_row_exchange exchange{int64_t(random() % 4 + 1),
                                int64_t(random() % 40 + 1),
                                int64_t(random() % 3 + 1), rowBytes};
    int64_t blocks = parts * exchange.blocks;
    int64_t blockBytes = exchange.slots * rowBytes;
    lay(place, blocks * blockBytes, blocks * blockBytes, SMITH_U8, SMITH_SUM);
    std::vector<int32_t> sends, receives;
    int64_t sent = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      int other = group.ranks[block / exchange.blocks];
      int64_t number = block % exchange.blocks;
      int64_t there = usedRows(context.rank(), other, number, exchange.slots);
      sends.resize(size_t((block + 1) * exchange.experts), int32_t(there));
      receives.resize(
          size_t((block + 1) * exchange.experts),
          int32_t(usedRows(other, context.rank(), number, exchange.slots)));
      sent += other == context.rank() ? 0 : there * rowBytes;
    }
    int64_t before = context.traffic.totalBytes();
    context.exchangeRows(index, exchange, in, sends.data(), receives.data(),
                         out);
    if (context.traffic.totalBytes() - before != sent)
      fail(ExitCode::Internal, "trial {} of seed {}: {} bytes counted of {}",
           trial, seed, context.traffic.totalBytes() - before, sent);
    for (int64_t i = 0; i < blocks * blockBytes; ++i) {
      int64_t block = i / blockBytes, at = i % blockBytes;
      int64_t from =
          (group.position * exchange.blocks + block % exchange.blocks) *
              blockBytes +
          at;
      bool isUsed =
          at / rowBytes < receives[size_t((block + 1) * exchange.experts - 1)];
      expect(SMITH_U8, i,
             isUsed ? element(group.ranks[block / exchange.blocks], from,
                              SMITH_U8, SMITH_SUM)
                    : 0,
             "exchange_rows");
    }
  }

  /// Several collectives in one message, against the same one by one: bit by
  /// bit, of numbers that round, and counted alike.
  void checkGrouped(int index) {
    const Group &group = context.groups.groups[index];
    auto kind = static_cast<CollectiveKind>(random() % 3);
    bool isScatter = kind == CollectiveKind::ReduceScatter;
    int64_t parts = group.size();
    struct Drawn {
      int64_t outer, chunk;
      std::vector<float> in, alone, together;
    };
    std::vector<Drawn> calls(random() % 5 + 1);
    RandomStream stream(seed, std::to_string(context.rank()));
    for (Drawn &call : calls) {
      call.chunk = drawSize(20000);
      call.outer = kind == CollectiveKind::AllReduce ? 1 : random() % 3 + 1;
      int64_t local = call.outer * call.chunk;
      call.in.resize(static_cast<size_t>(local * (isScatter ? parts : 1)));
      for (size_t i = 0; i < call.in.size(); ++i)
        call.in[i] =
            static_cast<float>(stream.word(int64_t(i) + trial)) * 1e-3f;
      bool isGather = kind == CollectiveKind::AllGather;
      call.alone.resize(static_cast<size_t>(local * (isGather ? parts : 1)));
      call.together.resize(call.alone.size());
    }
    auto run = [&](const Drawn &call, const float *in, float *out) {
      if (kind == CollectiveKind::AllReduce)
        context.allReduce(index, SMITH_F32, SMITH_SUM, in, out, call.chunk);
      else if (isScatter)
        context.reduceScatter(index, SMITH_F32, SMITH_SUM, in, out, call.outer,
                              call.chunk);
      else
        context.allGather(index, in, out, call.outer, call.chunk * 4);
    };
    TrafficCount before = context.traffic.of(index, kind);
    for (Drawn &call : calls)
      run(call, call.in.data(), call.alone.data());
    TrafficCount between = context.traffic.of(index, kind);
    context.beginGroup();
    for (Drawn &call : calls) {
      // In place where that is allowed.
      bool isInPlace = kind == CollectiveKind::AllReduce && call.chunk % 2 == 0;
      if (isInPlace)
        call.together = call.in;
      run(call, isInPlace ? call.together.data() : call.in.data(),
          call.together.data());
    }
    if (random() % 2) {
      int64_t number = context.endGroupLater();
      // Nothing of it may have been counted twice, or late.
      if (random() % 2)
        context.wait(number);
      else
        context.settle();
    } else {
      context.endGroup();
    }
    TrafficCount after = context.traffic.of(index, kind);
    for (const Drawn &call : calls)
      if (!std::equal(call.alone.begin(), call.alone.end(),
                      call.together.begin(), call.together.end()))
        fail(ExitCode::Internal,
             "trial {} of seed {}: {} in a group of {} is not what it is alone",
             trial, seed, name(kind), calls.size());
    if (after.calls - between.calls != between.calls - before.calls ||
        after.bytes - between.bytes != between.bytes - before.bytes)
      fail(ExitCode::Internal,
           "trial {} of seed {}: a group of {} {} is counted otherwise than "
           "one by one",
           trial, seed, calls.size(), name(kind));
  }

  /// Among the ranks of each list of a group, or all ranks.
  void checkPermute(int index, Place place) {
    std::vector<int32_t> sources(context.manifest.ranks);
    // The first group is all ranks.
    for (const auto &list : context.manifest.groups[std::max(index, 0)].ranks)
      for (int rank : list) {
        size_t drawn = random() % (list.size() + 1);
        sources[rank] = drawn == 0 ? -1 : list[drawn - 1];
      }
    int64_t count = drawSize(600000);
    lay(place, count, count, SMITH_U8, SMITH_SUM);
    context.permute(index, sources.data(), in, out, count);
    int32_t source = sources[context.rank()];
    for (int64_t i = 0; i < count; ++i)
      expect(SMITH_U8, i,
             source < 0 ? 0 : element(source, i, SMITH_U8, SMITH_SUM),
             "permute");
  }

  /// Sums of numbers that round must be those from left to right.
  void checkOrder() {
    const Group &group = context.groups.groups[0];
    constexpr int64_t count = 100003;
    std::vector<std::vector<float>> inputs;
    std::vector<const void *> sources;
    for (int rank : group.ranks) {
      std::vector<float> &values = inputs.emplace_back(count);
      RandomStream stream(seed, std::to_string(rank));
      for (int64_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(stream.word(i)) * 1e-3f;
      sources.push_back(values.data());
    }
    std::copy(inputs[group.position].begin(), inputs[group.position].end(),
              reinterpret_cast<float *>(arena));
    context.allReduce(0, SMITH_F32, SMITH_SUM, arena, arena, count);
    for (int64_t i = 0; i < count; ++i) {
      float expected = inputs[0][i];
      for (size_t p = 1; p < inputs.size(); ++p)
        expected += inputs[p][i];
      if (reinterpret_cast<float *>(arena)[i] != expected)
        fail(ExitCode::Internal,
             "seed {}: element {} was not summed from "
             "left to right",
             seed, i);
    }
  }

  /// Small collectives one after the other, with nothing between them that
  /// would let a slow rank catch up.
  void checkBurst() {
    constexpr int calls = 3000;
    int ranks = context.manifest.ranks;
    std::vector<int32_t> sums(calls);
    for (int call = 0; call < calls; ++call) {
      int32_t value = context.rank() * 7 + call;
      context.allReduce(0, SMITH_I32, SMITH_SUM, &value, &sums[call], 1);
    }
    for (int call = 0; call < calls; ++call)
      if (sums[call] != ranks * (ranks - 1) / 2 * 7 + ranks * call)
        fail(ExitCode::Internal, "call {} of a burst took values of another",
             call);
  }

  smith_context &context;
  uint8_t *arena;
  uint32_t seed;
  std::mt19937 random;
  int trial = 0;
  uint8_t *in = nullptr, *out = nullptr;
  std::vector<uint8_t> heapIn, heapOut;
};

void check(uint32_t seed, int trials, TransportChoice choice) {
  LaunchEnvironment environment = readLaunchEnvironment();
  std::mt19937 random(seed);
  Manifest manifest = makeManifest(environment.ranks, random);
  GroupTable groups(manifest, environment.rank);
  ThreadTeam team(chooseThreadCount(environment.localRanks));
  smith_context context(
      manifest, environment,
      makeTransport(choice, groups, seed, environment, team, {}), team, groups);
  // Ranks need not agree on it.
  if (context.transport->runsBesideKernels() && environment.rank % 3 != 1)
    context.exchangeThread = std::make_unique<ExchangeThread>();
  try {
    // Ranks may have arenas of unequal sizes.
    uint8_t *arena = context.transport->allocateArena(
        arenaBytes + environment.rank * int64_t(12345));
    Checker(context, arena, seed).run(trials);
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
    check(static_cast<uint32_t>(std::atoi(arguments[1])),
          std::atoi(arguments[2]),
          std::string(arguments[3]) == "mpi" ? TransportChoice::Mpi
                                             : TransportChoice::SharedMemory);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return static_cast<int>(failure.code());
  }
}
