// SPDX-License-Identifier: Apache-2.0
//
// How ranks of the shared-memory transport wait for each other: at barriers,
// for messages, and for room for messages. There may be more ranks than cores,
// so a waiting rank spins only if it cannot be in another's way, then offers
// its core a few times, then sleeps in the kernel until another rank wakes it.
// While it sleeps it looks after the others.

#include "SharedMemoryTransport.h"

#include <algorithm>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

namespace shardsmith::runtime {
namespace {

constexpr int yields = 32;
constexpr long sleepNanoseconds = 50'000'000;

void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  timespec limit{0, sleepNanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void pauseBriefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

} // namespace

void SharedMemoryTransport::barrier(const Group &group) {
  noteProgress();
  GroupCell &cell = control.group(group.cell);
  uint32_t generation = cell.generation.load();
  if (cell.arrived.fetch_add(1) + 1 < static_cast<uint32_t>(group.size()))
    return waitFor({[&] { return cell.generation.load() != generation; },
                    cell.generation, cell.sleepers, group.cell, group.ranks});

  // The last one: open the barrier. A sleeper either sees the new generation
  // or is counted before we look.
  cell.arrived.store(0);
  cell.generation.store(generation + 1);
  if (cell.sleepers.load() > 0)
    wakeAll(cell.generation);
}

/// Waits for the other side of a channel to advance its count.
void SharedMemoryTransport::waitForPeer(size_t channel, int peer,
                                        ByteCount &count,
                                        const std::function<bool()> &canGoOn) {
  waitFor({canGoOn,
           count.changes,
           count.sleepers,
           cells + static_cast<int32_t>(channel),
           {&peer, 1}});
}

/// A sleeper either sees the new count or is counted before we look.
void SharedMemoryTransport::wakeSleepers(ByteCount &count) {
  if (count.sleepers.load() > 0)
    wakeAll(count.changes);
}

void SharedMemoryTransport::waitFor(const Event &event) {
  for (int round = 0; round < spins; ++round) {
    if (event.hasHappened())
      return;
    pauseBriefly();
  }
  for (int round = 0; round < yields; ++round) {
    if (event.hasHappened())
      return;
    sched_yield();
  }

  using Clock = std::chrono::steady_clock;
  std::atomic<int32_t> &waitingFor = control.rank(self).waitingFor;
  waitingFor = event.place;
  uint64_t progress = totalProgress();
  Clock::time_point since = Clock::now();
  while (true) {
    // What happens after this look changes the word, so that nobody sleeps.
    uint32_t word = event.word.load();
    event.sleepers.fetch_add(1);
    if (!event.hasHappened())
      sleepWhile(event.word, word);
    event.sleepers.fetch_sub(1);
    if (event.hasHappened())
      break;
    checkPeers();
    if (uint64_t now = totalProgress(); now != progress) {
      progress = now;
      since = Clock::now();
    } else if (Clock::now() - since > deadline) {
      refuseStall(event);
    }
  }
  waitingFor = -1;
}

/// Throws if a rank has failed or is gone. Any rank of the job counts: what
/// ends one of them ends the step.
void SharedMemoryTransport::checkPeers() const {
  // Deaths first: a rank that stopped because of one is not the cause.
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != self && watch.hasEnded(rank) && control.rank(rank).leaves == 0)
      fail(ExitCode::Environment, "rank {} (process {}) died in step {}", rank,
           control.rank(rank).process.load(), control.rank(rank).step.load());
  if (uint64_t failure = control.failure().load()) {
    int rank = static_cast<int>(failure >> 8);
    throw Failure(static_cast<ExitCode>(failure & 0xff),
                  fmt::format("rank {} failed in step {}; its own message "
                              "says why",
                              rank, control.rank(rank).step.load()));
  }
}

uint64_t SharedMemoryTransport::totalProgress() const {
  uint64_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank)
    sum += control.rank(rank).progress.load(std::memory_order_relaxed);
  return sum;
}

/// What a rank is doing, as far as others can see.
std::string SharedMemoryTransport::describeWaiting(int rank) const {
  int32_t place = control.rank(rank).waitingFor;
  if (place < 0)
    return "computing";
  if (place < cells)
    return "waiting in another group";
  const Channel &channel = channels[place - cells];
  return channel.from == rank
             ? fmt::format("sending to rank {}", channel.to)
             : fmt::format("receiving from rank {}", channel.from);
}

/// Names the ranks that have not done their part. One of them may itself wait
/// elsewhere, so the ranks that wait for nobody, where the chain ends, are
/// named as well.
void SharedMemoryTransport::refuseStall(const Event &event) const {
  std::vector<std::string> missing;
  auto name = [&](int rank) {
    missing.push_back(fmt::format("rank {} (step {}, {})", rank,
                                  control.rank(rank).step.load(),
                                  describeWaiting(rank)));
  };
  for (int rank : event.ranks) {
    int32_t place = control.rank(rank).waitingFor;
    if (place != event.place && place >= 0)
      name(rank);
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != self && control.rank(rank).waitingFor < 0)
      name(rank);
  fail(ExitCode::Environment,
       "no rank made progress for {} s while waiting "
       "for {}",
       deadline.count() / 1000.0, fmt::join(missing, ", "));
}

} // namespace shardsmith::runtime
