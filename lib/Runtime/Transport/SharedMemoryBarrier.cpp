// SPDX-License-Identifier: Apache-2.0
//
// The barrier of the shared-memory transport. There may be more ranks than
// cores, so a waiting rank spins only if it cannot be in another's way, then
// offers its core a few times, then sleeps in the kernel until the last rank
// arrives. While it sleeps it looks after the others.

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
    return waitFor(cell, generation, group);

  // The last one: open the barrier. A sleeper either sees the new generation
  // or is counted before we look.
  cell.arrived.store(0);
  cell.generation.store(generation + 1);
  if (cell.sleepers.load() > 0)
    wakeAll(cell.generation);
}

void SharedMemoryTransport::waitFor(GroupCell &cell, uint32_t generation,
                                    const Group &group) {
  auto isOpen = [&] { return cell.generation.load() != generation; };
  for (int round = 0; round < spins; ++round) {
    if (isOpen())
      return;
    pauseBriefly();
  }
  for (int round = 0; round < yields; ++round) {
    if (isOpen())
      return;
    sched_yield();
  }

  using Clock = std::chrono::steady_clock;
  std::atomic<int32_t> &waitingFor = control.rank(self).waitingFor;
  waitingFor = group.cell;
  uint64_t progress = totalProgress();
  Clock::time_point since = Clock::now();
  while (!isOpen()) {
    cell.sleepers.fetch_add(1);
    sleepWhile(cell.generation, generation);
    cell.sleepers.fetch_sub(1);
    if (isOpen())
      break;
    checkPeers();
    if (uint64_t now = totalProgress(); now != progress) {
      progress = now;
      since = Clock::now();
    } else if (Clock::now() - since > deadline) {
      refuseStall(group);
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

/// Names the members that have not arrived. A member may itself wait in
/// another group, so the ranks that wait for nobody, where the chain ends, are
/// named as well.
void SharedMemoryTransport::refuseStall(const Group &group) const {
  std::vector<std::string> missing;
  for (int rank : group.ranks) {
    int32_t waitingFor = control.rank(rank).waitingFor;
    if (waitingFor != group.cell && waitingFor >= 0)
      missing.push_back(fmt::format("rank {} (step {}, waiting in another "
                                    "group)",
                                    rank, control.rank(rank).step.load()));
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != self && control.rank(rank).waitingFor < 0)
      missing.push_back(fmt::format("rank {} (step {}, computing)", rank,
                                    control.rank(rank).step.load()));
  fail(ExitCode::Environment,
       "no rank made progress for {} s while waiting "
       "for {}",
       deadline.count() / 1000.0, fmt::join(missing, ", "));
}

} // namespace shardsmith::runtime
