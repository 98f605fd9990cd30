// SPDX-License-Identifier: Apache-2.0
//
// A GPU that is none, behind the C interfaces of CUDA's driver, cuBLASLt and
// NCCL: libfake_cuda.so under the names of the three libraries, for programs
// that open them. It is a test tool. Every process has a device of its own;
// exchanges between processes are files.
//
// Streams are queues. Nothing runs by itself: whenever the program asks whether
// something has ended, or now and then when it puts something into a stream,
// work is drawn at random that can go on. What the program does wrong is
// printed once and fails every call from then on.
//
// Read from the environment:
//
//   FAKE_CUDA_FUNCTIONS   07-device-functions.mlir of the program
//   FAKE_CUDA_CAPABILITY  of the device, default 8.0
//   FAKE_CUDA_MEMORY      bytes of the device, default 1 GiB
//   FAKE_CUDA_DEVICES     their number, default 8
//   FAKE_CUDA_LOG         folder for a file of counts per rank, when it ends
//   FAKE_CUBLASLT_GELU    no: no algorithm gives the GELU of a product
//   FAKE_NCCL_VERSION     by rank, separated by commas, default 22809
//   FAKE_NCCL_FAULT       die:RANK:N, error:RANK:N, stop:RANK:N: at its
//                         exchange N the rank is killed, its NCCL reports a
//                         remote error, or it does not take part
//   SHARDSMITH_TEST_SEED       of the order of work

#ifndef SHARDSMITH_TEST_EMULATOR_CUDA_FAKEMACHINE_H
#define SHARDSMITH_TEST_EMULATOR_CUDA_FAKEMACHINE_H

#include "../Emulator.h"
#include "../OrderCheck.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace shardsmith::emulator {

std::string environmentOr(const char *name, const std::string &otherwise);
/// Of the process, as its launcher says.
int fakeRank();

struct FakeStream {
  struct Work {
    std::string name;
    /// Goes on, and returns whether it has ended.
    std::function<bool()> goOn;
    /// Of NCCL's work: whose it is, so that an abort removes it.
    const void *owner = nullptr;
  };
  size_t number = 0;
  std::deque<Work> work;
  int64_t added = 0, ended = 0;
  std::vector<struct FakeEvent *> coming; ///< events that wait for work
};

struct FakeEvent {
  size_t number = 0;
  FakeStream *stream = nullptr;
  int64_t ticket = 0; ///< what has been added to the stream until then
  bool isTimed = false;
  std::chrono::steady_clock::time_point time; ///< when it happened
  bool hasHappened() const { return !stream || stream->ended >= ticket; }
};

/// What was captured, in the order of the calls.
struct FakeGraph {
  FakeStream *origin = nullptr;
  std::vector<std::function<void()>> calls;
  /// Of every event that a call of the graph records, the graph's own.
  std::map<FakeEvent *, FakeEvent *> events;

  /// While it is captured: how much of each stream's work every stream follows,
  /// and every event.
  using Clock = std::map<FakeStream *, int64_t>;
  std::map<FakeStream *, Clock> clocks;
  std::map<FakeEvent *, Clock> recorded;
};

class FakeMachine {
public:
  static FakeMachine &get();

  FakeStream *makeStream();
  FakeEvent *makeEvent();
  void record(FakeStream *stream, FakeEvent *event);
  void wait(FakeStream *stream, FakeEvent *event);
  /// Puts work into a stream; touched memory must be the device's, and ordered
  /// with all else that touches it.
  void add(FakeStream *stream, FakeStream::Work work,
           const std::vector<Touch> &touches);
  /// Calls, or keeps for the graph that is captured, what puts work into a
  /// stream, or into one that the call knows.
  void put(FakeStream *stream, std::function<void()> call);
  bool isCapturing() const { return capture != nullptr; }
  void beginCapture(FakeStream *stream);
  /// Null if a stream of the graph was not waited for.
  std::unique_ptr<FakeGraph> endCapture(FakeStream *stream);

  /// Some work goes on.
  void goOn();
  /// The host knows that all of the stream has ended.
  void hostHasWaited(FakeStream *stream);
  /// A copy that the host waits for has run.
  void hostHasCopied(const Touch &touch);
  void removeWorkOf(const void *owner);

  /// Null where there is too little.
  std::byte *allocate(size_t bytes);
  bool release(uint64_t address);
  /// Page-locked memory of the host.
  std::byte *allocateOnHost(size_t bytes);
  bool releaseOnHost(void *memory);
  /// Counts a copy between the device and memory of the host by what that is:
  /// "locked copies", or "pageable copies".
  void countHostCopy(const void *memory, size_t bytes);
  size_t freeBytes() const { return capacity - used; }
  size_t totalBytes() const { return capacity; }

  /// What the program has done wrong; printed, once.
  void accuse(const std::string &what);
  bool isBroken() const { return broken; }

  void count(const std::string &what, int64_t by = 1) { counts[what] += by; }
  void writeLog() const;
  std::mt19937_64 random;

private:
  FakeMachine();

  size_t capacity, used = 0;
  std::map<uint64_t, std::pair<std::unique_ptr<std::byte[]>, size_t>> blocks;
  std::map<uint64_t, std::pair<std::unique_ptr<std::byte[]>, size_t>>
      hostBlocks;
  std::deque<FakeStream> streams;
  std::deque<FakeEvent> events;
  FakeStream *ofHost = nullptr;
  std::unique_ptr<FakeGraph> capture;
  OrderCheck order;
  bool broken = false;
  std::map<std::string, int64_t> counts;
};

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_CUDA_FAKEMACHINE_H
