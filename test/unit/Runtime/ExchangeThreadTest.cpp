// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rank/ExchangeThread.h"

#include "shardsmith/Runtime/ThreadTeam.h"

#include <latch>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

TEST(ExchangeThread, DoesOneBehindTheOtherBesideItsPoster) {
  std::vector<int> done;
  std::latch mayGoOn(1);
  bool isOnThread = false, isAlone = false;
  ThreadTeam team(2);
  ExchangeThread thread;
  EXPECT_FALSE(thread.isCurrent());
  // The poster is here while the first is under way.
  int64_t first = thread.post([&] {
    mayGoOn.wait();
    isOnThread = thread.isCurrent();
    auto self = std::this_thread::get_id();
    isAlone = true;
    // A team's threads are those of kernels.
    team.parallelFor(1000, 1, [&](int64_t, int64_t) {
      isAlone &= std::this_thread::get_id() == self;
    });
    done.push_back(1);
  });
  int64_t second = thread.post([&] { done.push_back(2); });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  mayGoOn.count_down();
  thread.wait(first);
  EXPECT_EQ(done.front(), 1);
  thread.wait(second);
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  EXPECT_TRUE(isOnThread);
  EXPECT_TRUE(isAlone);
  // What is done already needs no waiting.
  EXPECT_FALSE(thread.wait(first));
  EXPECT_FALSE(thread.wait(second));
}

TEST(ExchangeThread, EndsWhenAllIsDone) {
  int done = 0;
  {
    ExchangeThread thread;
    for (int i = 0; i < 1000; ++i)
      thread.post([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}
