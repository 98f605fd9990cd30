// SPDX-License-Identifier: Apache-2.0

#include "../../../lib/Runtime/Transport/ByteRing.h"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

struct Ring {
  explicit Ring(int64_t capacity)
      : bytes(static_cast<size_t>(capacity)),
        writer(cell, bytes.data(), capacity),
        reader(cell, bytes.data(), capacity) {}

  RingCell cell{};
  std::vector<uint8_t> bytes;
  RingWriter writer;
  RingReader reader;
  ThreadTeam team{1};
};

TEST(ByteRing, SidesSeeWhatIsPublished) {
  Ring ring(8);
  EXPECT_EQ(ring.writer.movable(), 8);
  EXPECT_EQ(ring.writer.put("abcdef", 6, ring.team), 6);
  EXPECT_EQ(ring.reader.movable(), 0);
  ring.writer.publish();
  EXPECT_EQ(ring.reader.movable(), 6);
  EXPECT_EQ(ring.writer.put("ghi", 3, ring.team), 2);
  EXPECT_EQ(ring.writer.put("i", 1, ring.team), 0);
  ring.writer.publish();

  std::string text(5, ' ');
  EXPECT_EQ(ring.reader.take(text.data(), 5, ring.team), 5);
  EXPECT_EQ(text, "abcde");
  EXPECT_EQ(ring.writer.movable(), 0);
  ring.reader.publish();
  EXPECT_EQ(ring.writer.movable(), 5);
  EXPECT_EQ(ring.writer.put("ijkl", 4, ring.team), 4); // across the end
  ring.writer.publish();
  text.assign(9, ' ');
  EXPECT_EQ(ring.reader.take(text.data(), 9, ring.team), 7);
  EXPECT_EQ(text, "fghijkl  ");
}

TEST(ByteRing, TheOtherSideIsTheOneToWaitFor) {
  Ring ring(8);
  uint32_t before = ring.reader.other().changes;
  EXPECT_EQ(&ring.writer.publish(), &ring.reader.other());
  EXPECT_NE(ring.reader.other().changes, before);
  EXPECT_EQ(&ring.reader.publish(), &ring.writer.other());
}

/// A stream in pieces of random sizes, published at random.
TEST(ByteRing, StreamsBetweenThreads) {
  for (int64_t capacity : {1, 3, 64, 1000}) {
    Ring ring(capacity);
    constexpr int64_t total = 100'000;
    auto valueAt = [](int64_t i) {
      return static_cast<uint8_t>(i * 7 + i / 9);
    };
    std::thread writer([&] {
      std::mt19937 random(1);
      for (int64_t done = 0; done < total;) {
        uint8_t piece[100];
        int64_t length =
            std::min<int64_t>(random() % sizeof piece + 1, total - done);
        for (int64_t i = 0; i < length; ++i)
          piece[i] = valueAt(done + i);
        int64_t moved = ring.writer.put(piece, length, ring.team);
        done += moved;
        if (moved < length || random() % 4 == 0 || done == total)
          ring.writer.publish();
        if (moved == 0)
          std::this_thread::yield();
      }
    });
    std::mt19937 random(2);
    int64_t wrong = 0;
    for (int64_t done = 0; done < total;) {
      uint8_t piece[100];
      int64_t moved = ring.reader.take(
          piece, std::min<int64_t>(random() % sizeof piece + 1, total - done),
          ring.team);
      for (int64_t i = 0; i < moved; ++i)
        wrong += piece[i] != valueAt(done + i);
      done += moved;
      ring.reader.publish();
      if (moved == 0)
        std::this_thread::yield();
    }
    writer.join();
    EXPECT_EQ(wrong, 0) << "capacity " << capacity;
  }
}

} // namespace
