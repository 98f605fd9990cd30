// SPDX-License-Identifier: Apache-2.0
//
// The emulated machine keeps and enforces the rules of docs/device-runtime.md.

#include "../../emulator/Machine.h"

#include "../FirstSeed.h"

#include "shardsmith/Runtime/Device/Device.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace shardsmith::emulator {
namespace {

using runtime::device::Address;
using runtime::device::Communicator;
using runtime::device::Device;
using runtime::device::Event;
using runtime::device::Message;
using runtime::device::Stream;
using testing::AllOf;
using testing::HasSubstr;

/// A rank with one block of memory, two streams and a communicator of all.
struct Rank {
  Rank(int ranks, Device &device)
      : device(device), memory(device.allocate(1024)),
        first(device.makeStream("first")), second(device.makeStream("second")),
        event(device.makeEvent()) {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank)
      all.push_back(rank);
    world = device.makeCommunicator({all});
  }
  void reduce(Communicator communicator, int64_t count, Address at) {
    device.allReduce(first, communicator, SMITH_F32, SMITH_SUM, at, at, count);
  }

  Device &device;
  Address memory;
  Stream first, second;
  Event event;
  Communicator world;
};

std::string run(int ranks, const std::function<void(int, Rank &)> &body,
                uint64_t seed = test::firstSeed(), bool checksOrder = true) {
  std::vector<MachineFunction> none;
  Machine machine({ranks, seed, checksOrder}, none);
  return machine.run([&](int rank, Device &device) {
    Rank own(ranks, device);
    body(rank, own);
  });
}

TEST(Machine, AllReduceAddsUp) {
  std::vector<float> got(3);
  EXPECT_EQ(run(3,
                [&](int rank, Rank &own) {
                  float value = static_cast<float>(rank) + 0.5f;
                  own.device.copyToDevice(own.first, own.memory, &value, 4);
                  own.reduce(own.world, 1, own.memory);
                  own.device.copyToHost(own.first, &got[rank], own.memory, 4);
                  own.device.synchronize(own.first);
                }),
            "");
  EXPECT_THAT(got, testing::Each(4.5f));
}

/// Of 3 matrices in bf16, rounded once behind all that is added.
TEST(Machine, ProductsAddBeforeTheyRound) {
  uint64_t seed = test::firstSeed();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  constexpr int64_t batch = 3, m = 2, n = 4, k = 5;
  auto drawn = [&](int64_t count) {
    std::vector<uint16_t> values(count);
    for (int64_t i = 0; i < count; ++i)
      runtime::storeFromDouble(SMITH_BF16, values.data(), i, any(random));
    return values;
  };
  auto at = [](const std::vector<uint16_t> &values, int64_t i) {
    return runtime::loadAsDouble(SMITH_BF16, values.data(), i);
  };
  std::vector<uint16_t> a = drawn(batch * m * k), b = drawn(batch * k * n),
                        sum = drawn(batch * m * n), bias = drawn(n),
                        got(batch * m * n), units(batch * m * n);
  smith_gemm gemm = {};
  gemm.batch_count = 1;
  gemm.a_dtype = gemm.b_dtype = gemm.c_dtype = SMITH_BF16;
  gemm.m = m, gemm.n = n, gemm.k = k;
  gemm.batch[0] = batch;
  gemm.a_batch_stride[0] = m * k;
  gemm.b_batch_stride[0] = k * n;
  gemm.c_batch_stride[0] = m * n;
  gemm.a_m_stride = k, gemm.b_k_stride = gemm.c_m_stride = n;
  gemm.a_k_stride = gemm.b_n_stride = gemm.c_n_stride = 1;
  for (bool isInPlace : {false, true}) {
    EXPECT_EQ(
        run(1,
            [&](int, Rank &own) {
              Device &device = own.device;
              auto put = [&](const std::vector<uint16_t> &values) {
                auto bytes = static_cast<int64_t>(2 * values.size());
                Address place = device.allocate(bytes);
                device.copyToDevice(own.first, place, values.data(), bytes);
                return place;
              };
              Address added = put(sum), c = isInPlace ? added : put(got);
              Address unit = put(units);
              EXPECT_TRUE(device.multiply(
                  own.first, gemm,
                  {put(a), put(b), c, added, put(bias), {}, unit}));
              device.copyToHost(own.first, got.data(), c, 2 * std::ssize(got));
              device.copyToHost(own.first, units.data(), unit,
                                2 * std::ssize(units));
              device.synchronize(own.first);
            }),
        "");
    for (int64_t i = 0; i < std::ssize(got); ++i) {
      int64_t matrix = i / (m * n), row = i / n % m, column = i % n;
      double exact = at(sum, i) + at(bias, column);
      for (int64_t x = 0; x < k; ++x)
        exact += at(a, (matrix * m + row) * k + x) *
                 at(b, (matrix * k + x) * n + column);
      // Half of a unit in the last of eight places.
      EXPECT_NEAR(at(got, i), exact, std::abs(exact) / 250 + 1e-6)
          << "seed " << seed;
      // x · Φ(x), from which tanh's approximation differs by 5e-4 at most.
      double unit = exact * std::erfc(-exact / std::numbers::sqrt2) / 2;
      EXPECT_NEAR(at(units, i), unit, std::abs(unit) / 250 + 6e-4)
          << "seed " << seed;
    }
  }
}

TEST(Machine, MessagesOfAnExchangeBeginTogether) {
  std::vector<int> got(2);
  auto exchange = [&](bool areTogether) {
    return run(2, [&](int rank, Rank &own) {
      int value = 10 + rank;
      own.device.copyToDevice(own.first, own.memory, &value, 4);
      std::vector<Message> messages{{true, 1 - rank, own.memory},
                                    {false, 1 - rank, own.memory + 256}};
      if (areTogether)
        own.device.exchange(own.first, own.world, 4, messages);
      else
        for (const Message &message : messages)
          own.device.exchange(own.first, own.world, 4, {&message, 1});
      own.device.copyToHost(own.first, &got[rank], own.memory + 256, 4);
      own.device.synchronize(own.first);
    });
  };
  EXPECT_EQ(exchange(true), "");
  EXPECT_EQ(got, (std::vector<int>{11, 10}));
  EXPECT_THAT(exchange(false),
              AllOf(HasSubstr("no rank can go on"),
                    HasSubstr("rank 0: the host waits for stream 'first'"),
                    HasSubstr("waits at send of 4 bytes to rank 0")));
}

TEST(Machine, StreamsRunInAnyOrderUnlessAnEventOrdersThem) {
  auto write = [](bool hasEvent, uint64_t seed) {
    int got = 0;
    std::string problem = run(
        1,
        [&](int, Rank &own) {
          own.device.fill(own.first, own.memory, 1, 1);
          if (hasEvent) {
            own.device.record(own.first, own.event);
            own.device.wait(own.second, own.event);
          }
          own.device.fill(own.second, own.memory, 2, 1);
          own.device.synchronize(own.first);
          own.device.synchronize(own.second);
          own.device.copyToHost(own.first, &got, own.memory, 4);
          own.device.synchronize(own.first);
        },
        seed, /*checksOrder=*/hasEvent);
    EXPECT_EQ(problem, "");
    return got;
  };
  std::set<int> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(write(true, seed), 2);
    seen.insert(write(false, seed));
  }
  EXPECT_EQ(seen, (std::set<int>{1, 2}));
}

TEST(Machine, MissingOrderIsFound) {
  EXPECT_THAT(run(1,
                  [](int, Rank &own) {
                    own.device.fill(own.first, own.memory, 1, 1);
                    own.device.fill(own.second, own.memory, 2, 1);
                  }),
              AllOf(HasSubstr("in stream 'second' writes memory that"),
                    HasSubstr("no event orders the two")));
}

TEST(Machine, UnwrittenMemoryIsFound) {
  int got = 0;
  EXPECT_THAT(run(1,
                  [&](int, Rank &own) {
                    own.device.copyToHost(own.first, &got, own.memory, 4);
                  }),
              HasSubstr("reads memory that nobody wrote"));
}

TEST(Machine, OtherMemoryIsRefused) {
  EXPECT_THAT(run(1,
                  [](int, Rank &own) {
                    own.device.fill(own.first, own.memory + 1020, 0, 2);
                  }),
              HasSubstr("outside of this device's memory"));
}

TEST(Machine, DifferentCountsAreFound) {
  EXPECT_THAT(run(2,
                  [](int rank, Rank &own) {
                    own.device.fill(own.first, own.memory, 0, 8);
                    own.reduce(own.world, 4 + rank, own.memory);
                    own.device.synchronize(own.first);
                  }),
              AllOf(HasSubstr("all-reduce of 4 f32"),
                    HasSubstr("all-reduce of 5 f32")));
}

TEST(Machine, DifferentSizesOfMessagesAreFound) {
  EXPECT_THAT(run(2,
                  [](int rank, Rank &own) {
                    own.device.fill(own.first, own.memory, 0, 8);
                    Message message{rank == 0, 1 - rank, own.memory};
                    own.device.exchange(own.first, own.world,
                                        rank == 0 ? 8 : 12, {&message, 1});
                    own.device.synchronize(own.first);
                  }),
              AllOf(HasSubstr("send of 8 bytes to rank 1"),
                    HasSubstr("receive of 12 bytes from rank 0")));
}

TEST(Machine, OtherOrdersOfCommunicatorsHang) {
  EXPECT_THAT(
      run(2,
          [](int rank, Rank &own) {
            Communicator other = own.device.makeCommunicator({{0, 1}});
            own.device.fill(own.first, own.memory, 0, 8);
            own.reduce(rank == 0 ? own.world : other, 2, own.memory);
            own.reduce(rank == 0 ? other : own.world, 2, own.memory);
            own.device.synchronize(own.first);
          }),
      AllOf(HasSubstr("no rank can go on"),
            HasSubstr("rank 0: the host waits for stream 'first'; stream "
                      "'first' waits at all-reduce of 2 f32 over ranks 0, 1"),
            HasSubstr("rank 1: the host waits")));
}

TEST(Machine, ARankThatNeverComesIsNamed) {
  EXPECT_THAT(run(2,
                  [](int rank, Rank &own) {
                    own.device.fill(own.first, own.memory, 0, 8);
                    if (rank == 0)
                      own.reduce(own.world, 2, own.memory);
                  }),
              AllOf(HasSubstr("no rank can go on"),
                    HasSubstr("rank 0: the host has ended; stream 'first' "
                              "waits at all-reduce")));
}

TEST(Machine, RulesOfCommunicators) {
  EXPECT_THAT(run(1,
                  [](int, Rank &own) {
                    own.device.fill(own.first, own.memory, 0, 8);
                    own.reduce(own.world, 1, own.memory);
                    own.device.allReduce(own.second, own.world, SMITH_F32,
                                         SMITH_SUM, own.memory, own.memory, 1);
                  }),
              HasSubstr("its communicator is used in stream 'first'"));
  EXPECT_THAT(run(2, [](int rank,
                        Rank &own) { own.device.makeCommunicator({{rank}}); }),
              HasSubstr("ranks split communicator 1 into other lists"));
  EXPECT_THAT(
      run(1, [](int, Rank &own) { own.device.wait(own.first, own.event); }),
      HasSubstr("an event that was never recorded"));
}

} // namespace
} // namespace shardsmith::emulator
