// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TEST_EMULATOR_EMULATEDDEVICE_H
#define SHARDSMITH_TEST_EMULATOR_EMULATEDDEVICE_H

#include "Machine.h"
#include "OrderCheck.h"

#include "shardsmith/Runtime/Gemm.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <deque>

namespace shardsmith::emulator {

namespace device = runtime::device;

/// Devices have the addresses of this process.
inline std::byte *pointer(device::Address address) {
  return reinterpret_cast<std::byte *>(address);
}

/// One of the collectives and messages that begin together.
struct ExchangePart {
  enum class Kind { AllReduce, AllGather, ReduceScatter, Send, Receive };
  Kind kind;
  size_t communicator; ///< number of the call that made it
  int peer = -1;       ///< rank of the machine, of messages
  runtime::ElementType type = SMITH_U8;
  runtime::Reduction reduction = SMITH_SUM;
  device::Address in = 0, out = 0;
  int64_t count = 0; ///< elements; bytes where there is no reduction
  bool isDone = false;

  bool isMessage() const { return kind == Kind::Send || kind == Kind::Receive; }
  std::string describe() const;
};

/// Work in a stream.
struct StreamWork {
  std::string name;
  /// Of kernels, copies and the like; null: an exchange, or an event.
  std::function<void()> run;
  std::vector<ExchangePart> parts;
  int records = -1, waits = -1; ///< number of an event
  int64_t version = 0;          ///< how often it was recorded until then
};

class EmulatedDevice : public device::Device {
public:
  EmulatedDevice(Machine &machine, int rank);

  std::string describe() const override { return "emulated device"; }
  device::Address allocate(int64_t bytes) override;
  std::byte *allocateOnHost(int64_t bytes) override;
  device::Stream makeStream(const std::string &name) override;
  device::Event makeEvent() override;
  device::Function findFunction(const std::string &name) override;
  device::Communicator
  makeCommunicator(const std::vector<std::vector<int>> &lists) override;
  void record(device::Stream stream, device::Event event) override;
  void wait(device::Stream stream, device::Event event) override;
  void copyToDevice(device::Stream stream, device::Address to, const void *from,
                    int64_t bytes) override;
  void copyToHost(device::Stream stream, void *to, device::Address from,
                  int64_t bytes) override;
  void copy(device::Stream stream, const device::StridedCopy &copy) override;
  void fill(device::Stream stream, device::Address to, uint32_t word,
            int64_t words) override;
  void launch(device::Stream stream, device::Function function, int64_t grid,
              int64_t block,
              std::span<const device::Address> arguments) override;
  bool multiply(device::Stream stream, const smith_gemm &gemm,
                const device::ProductAddresses &at) override;
  void allReduce(device::Stream stream, device::Communicator communicator,
                 runtime::ElementType type, runtime::Reduction reduction,
                 device::Address in, device::Address out,
                 int64_t count) override;
  void allGather(device::Stream stream, device::Communicator communicator,
                 device::Address in, device::Address out,
                 int64_t bytes) override;
  void reduceScatter(device::Stream stream, device::Communicator communicator,
                     runtime::ElementType type, runtime::Reduction reduction,
                     device::Address in, device::Address out,
                     int64_t count) override;
  void exchange(device::Stream stream, device::Communicator communicator,
                int64_t bytes,
                std::span<const device::Message> messages) override;
  void synchronize(device::Stream stream) override;

  // For the machine.
  /// Numbers of the streams whose first work can go on.
  std::vector<size_t> readyStreams();
  void goOn(size_t stream);
  /// What it waits at, one line per stream that has work.
  std::string describeWaits() const;
  bool isIdle() const;

private:
  struct StreamQueue {
    std::string name;
    std::deque<StreamWork> work;
    int64_t added = 0, ended = 0;
  };
  struct EventState {
    int64_t recorded = 0, ended = 0;
  };
  struct MemoryBlock {
    std::unique_ptr<std::byte[]> owned;
    device::Address begin;
    int64_t bytes;
  };

  /// Puts work into a stream, if what it touches is this device's memory and
  /// ordered with all else.
  void add(device::Stream stream, StreamWork work,
           const std::vector<Touch> &touches);
  /// Parts of one communicator, which begin together.
  void addParts(device::Stream stream, const std::vector<ExchangePart> &parts,
                const std::vector<Touch> &touches);
  /// A product with a sum or a bias, at once.
  void runProduct(const smith_gemm &gemm, const device::ProductAddresses &at,
                  std::byte *result);
  void addProduct(const smith_gemm &gemm, const device::ProductAddresses &at);
  void checkMemory(const std::string &work, const Touch &touch);
  const std::vector<int> &ranksOf(size_t communicator) const;
  int64_t sizeOf(device::Communicator communicator) const;
  /// What the device has at the front of any of its streams, not yet done:
  /// collectives of a communicator, or the other end of a message.
  ExchangePart *frontCollective(size_t communicator);
  ExchangePart *frontMessage(const ExchangePart &other, int from);
  bool canGoOn(const StreamWork &work);
  /// All parts that `part` completes together with, its own included; empty:
  /// not all have come to it.
  std::vector<ExchangePart *> partners(ExchangePart &part);
  void complete(std::vector<ExchangePart *> parts);

  Machine &machine;
  int rank;
  std::vector<MemoryBlock> blocks;
  std::vector<std::unique_ptr<std::byte[]>> hostBlocks;
  std::vector<StreamQueue> streams;
  std::vector<EventState> events;
  OrderCheck order;
  size_t communicatorCount = 0;
  std::map<size_t, int> streamOfCommunicator;
  runtime::ThreadTeam team{1};
  runtime::GemmLibrary gemms{team};
};

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_EMULATEDDEVICE_H
