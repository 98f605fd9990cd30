// SPDX-License-Identifier: Apache-2.0

#include "ControlSegment.h"

#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Support/Hash.h"

#include <cerrno>
#include <csignal>
#include <new>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

constexpr uint64_t readyMark = 0x73686172647a3031; // any value but zero

/// Where shm_open keeps what it opens.
constexpr const char *sharedFolder = "/dev/shm";

bool processExists(int32_t process) {
  return kill(process, 0) == 0 || errno == EPERM;
}

} // namespace

struct alignas(64) ControlSegment::Header {
  std::atomic<uint64_t> ready; // readyMark when the rest is valid
  std::atomic<int32_t> creator;
  std::atomic<int32_t> attached;
  std::atomic<uint64_t> failure;
  int32_t ranks;
  uint64_t programHash;
};

ControlSegment::ControlSegment(const ControlLayout &layout,
                               const LaunchEnvironment &environment,
                               std::chrono::milliseconds deadline)
    : layout(layout), environment(environment),
      name(fmt::format("/shardsmith-{}-{:016x}", getuid(),
                       hashText(environment.job))) {
  auto end = std::chrono::steady_clock::now() + deadline;
  if (environment.rank == 0) {
    create();
  } else {
    while (!tryAttach()) {
      if (std::chrono::steady_clock::now() > end)
        fail(ExitCode::Environment,
             "rank {} found no rank 0 within {} s; were all {} ranks started "
             "on this machine?",
             environment.rank, deadline.count() / 1000.0, environment.ranks);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  waitForAll(end);
}

int64_t ControlSegment::totalBytes() const {
  return static_cast<int64_t>(sizeof(Header) + layout.ranks * sizeof(RankCell) +
                              layout.cells * sizeof(GroupCell) +
                              layout.channels * sizeof(RingCell)) +
         int64_t(2) * layout.ranks * layout.groups *
             (static_cast<int64_t>(sizeof(Post)) + payloadBytes);
}

void ControlSegment::create() {
  // Names that jobs killed at their start have left.
  removeAbandoned(sharedFolder, fmt::format("shardsmith-{}-", getuid()));
  do {
    shm_unlink(name.c_str());
    lock = FileDescriptor(
        shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (!lock.isOpen())
      fail(ExitCode::Environment, "cannot create shared memory {}: {}", name,
           describeError(errno));
  } while (!lockTemporary(lock.get()));
  published.emplace(sharedFolder + name);
  // Unlike ftruncate this finds out now whether there is room.
  if (int error = posix_fallocate(lock.get(), 0, totalBytes()))
    fail(ExitCode::Environment,
         "cannot get {} bytes of shared memory in "
         "/dev/shm: {}",
         totalBytes(), describeError(error));
  memory = Mapping::ofFile(lock.get(), totalBytes(), /*writable=*/true);

  Header &header = *new (memory.data()) Header{};
  header.creator = getpid();
  header.ranks = layout.ranks;
  header.programHash = layout.programHash;
  for (int r = 0; r < layout.ranks; ++r)
    rank(r).waitingFor = -1;
  claimCell();
  header.ready.store(readyMark, std::memory_order_release);
}

/// One attempt; false: rank 0 is not there yet.
bool ControlSegment::tryAttach() {
  FileDescriptor file(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600));
  struct stat status{};
  if (!file.isOpen() || fstat(file.get(), &status) != 0 ||
      status.st_size < static_cast<off_t>(sizeof(Header)))
    return false;
  memory = Mapping::ofFile(file.get(), status.st_size, /*writable=*/true);
  if (header().ready.load(std::memory_order_acquire) != readyMark ||
      !processExists(header().creator))
    return false;
  if (header().programHash != layout.programHash ||
      header().ranks != layout.ranks)
    fail(ExitCode::BadInput,
         "rank {} runs another program than rank 0 (or two jobs with equal "
         "MASTER_ADDR and MASTER_PORT run on this machine)",
         environment.rank);
  if (!isCurrent(file.get()))
    return false;
  claimCell();
  return true;
}

/// Whether the name still leads to the file that we have opened.
bool ControlSegment::isCurrent(int file) const {
  FileDescriptor again(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600));
  struct stat ours{}, theirs{};
  return again.isOpen() && fstat(file, &ours) == 0 &&
         fstat(again.get(), &theirs) == 0 && ours.st_ino == theirs.st_ino;
}

void ControlSegment::claimCell() {
  int32_t free = 0;
  if (!rank(environment.rank).process.compare_exchange_strong(free, getpid()))
    fail(ExitCode::Usage, "two processes are rank {} (ids {} and {})",
         environment.rank, free, getpid());
  header().attached.fetch_add(1);
}

void ControlSegment::waitForAll(std::chrono::steady_clock::time_point end) {
  while (header().attached.load() < layout.ranks) {
    bool orphaned = environment.rank != 0 && !processExists(header().creator);
    if (orphaned || std::chrono::steady_clock::now() > end)
      refuseMissingRanks();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  published.reset();
  lock = FileDescriptor();
}

void ControlSegment::refuseMissingRanks() const {
  std::vector<int> missing;
  for (int r = 0; r < layout.ranks; ++r)
    if (rank(r).process == 0)
      missing.push_back(r);
  fail(ExitCode::Environment, "rank {}: {} of {} ranks did not start: {}",
       environment.rank, missing.size(), layout.ranks,
       fmt::join(missing, ", "));
}

ControlSegment::Header &ControlSegment::header() const {
  return *reinterpret_cast<Header *>(memory.data());
}

std::atomic<uint64_t> &ControlSegment::failure() const {
  return header().failure;
}

RankCell &ControlSegment::rank(int rank) const {
  auto *cells = reinterpret_cast<RankCell *>(memory.data() + sizeof(Header));
  return cells[rank];
}

GroupCell &ControlSegment::group(int cell) const {
  auto *cells = reinterpret_cast<GroupCell *>(&rank(layout.ranks));
  return cells[cell];
}

RingCell &ControlSegment::ring(size_t channel) const {
  auto *cells = reinterpret_cast<RingCell *>(&group(layout.cells));
  return cells[channel];
}

Post &ControlSegment::post(int rank, int group, int parity) const {
  auto *start = reinterpret_cast<uint8_t *>(&ring(layout.channels));
  int64_t index = (int64_t(rank) * layout.groups + group) * 2 + parity;
  int64_t stride = static_cast<int64_t>(sizeof(Post)) + payloadBytes;
  return *reinterpret_cast<Post *>(start + index * stride);
}

uint8_t *ControlSegment::payload(int rank, int group, int parity) const {
  return reinterpret_cast<uint8_t *>(&post(rank, group, parity) + 1);
}

} // namespace shardsmith::runtime
