// SPDX-License-Identifier: Apache-2.0
//
// What threads of the search share: work, and values that one makes for all.

#include "../../../../lib/Plan/Support/ThreadPool.h"
#include "../../../../lib/Plan/Support/MemoTable.h"
#include "../../FirstSeed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

namespace shardsmith::search {
namespace {

TEST(ThreadPool, DoEachItemOfEachRoundOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    std::vector<int> done;
    // Rounds that are shorter than the number of threads, and empty ones.
    for (size_t count = 0; count < 300;
         count = count < 8 ? count + 1 : count * 3) {
      for (int round = 0; round < 50; ++round) {
        done.assign(count, 0);
        pool.share(count, [&](size_t i) { ++done[i]; });
        ASSERT_EQ(done, std::vector<int>(count, 1));
      }
    }
  }
}

TEST(ThreadPool, DoAGroupOnOneThreadInOrder) {
  std::mt19937 random{uint32_t(test::firstSeed())};
  for (unsigned threads : {1u, 2u, 4u}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 100; ++round) {
      std::vector<size_t> groups(random() % 200);
      for (size_t &group : groups)
        group = random() % 7 * 1000;
      std::vector<std::thread::id> threadOf(groups.size());
      // One place per group: threads that shared one would be a race.
      std::map<size_t, std::vector<size_t>> doneOf;
      for (size_t group : groups)
        doneOf[group];
      pool.shareGroups(groups, [&](size_t i) {
        threadOf[i] = std::this_thread::get_id();
        doneOf.at(groups[i]).push_back(i);
      });
      size_t total = 0;
      for (const auto &[group, done] : doneOf) {
        total += done.size();
        EXPECT_TRUE(std::ranges::is_sorted(done));
        for (size_t i : done)
          EXPECT_EQ(threadOf[i], threadOf[done.front()]);
      }
      EXPECT_EQ(total, groups.size());
    }
  }
}

TEST(ThreadPool, AreThreadsThatRunAtOnce) {
  constexpr unsigned threads = 3;
  ThreadPool pool(threads);
  // Each item waits for all others: one thread alone would wait forever.
  std::atomic<unsigned> arrived = 0;
  pool.share(threads, [&](size_t) {
    ++arrived;
    while (arrived < threads)
      std::this_thread::yield();
  });
  EXPECT_EQ(arrived, threads);
}

TEST(MemoTable, IsMadeByTheFirstThatAsks) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    MemoTableBy<int, int> table;
    std::atomic<int> made = 0;
    std::array<std::atomic<int>, 3> wrong = {};
    pool.share(60, [&](size_t i) {
      int key = int(i % 3);
      int value = table.of(key, [&] {
        ++made;
        return key * 10;
      });
      wrong[size_t(key)] += value != key * 10;
    });
    ASSERT_EQ(made, 3);
    for (const std::atomic<int> &each : wrong)
      ASSERT_EQ(each, 0);
  }
}

// Whoever makes a value may ask for others on the way.
TEST(MemoTable, MayAskForOtherKeys) {
  MemoTableBy<int, int> table;
  std::function<int(int)> sumUpTo = [&](int n) -> int {
    return table.of(n, [&] { return n == 0 ? 0 : n + sumUpTo(n - 1); });
  };
  EXPECT_EQ(sumUpTo(20), 210);
  EXPECT_EQ(sumUpTo(19), 190);
}

TEST(MemoTable, StaysWhereItIs) {
  MemoTableByNumbers<2, int> table;
  const int &first = table.of({1, 2}, [] { return 7; });
  for (int64_t i = 0; i < 1000; ++i)
    table.of({i, -i}, [] { return 0; });
  EXPECT_EQ(&table.of({1, 2}, [] { return 8; }), &first);
  EXPECT_EQ(first, 7);
}

} // namespace
} // namespace shardsmith::search
