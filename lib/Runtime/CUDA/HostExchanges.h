// SPDX-License-Identifier: Apache-2.0
//
// Exchanges through the memory of hosts, for tests on machines whose ranks
// share a GPU, where NCCL may refuse to connect them:
//
//     GPU  ──copy──▶ host ──the transport of the program──▶ host ──copy──▶ GPU
//
// The host waits for the stream, exchanges, and puts the result back, all
// within the call. Ranks come to the exchanges in the order of the program,
// which is that of programs for processors: what does not block there does not
// block here.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_HOSTEXCHANGES_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_HOSTEXCHANGES_H

#include "Exchanges.h"
#include "FlightLog.h"

#include "shardsmith/Runtime/CUDA/Rendezvous.h"
#include "shardsmith/Runtime/Transport/Transport.h"

#include <optional>

namespace shardsmith::runtime::cuda {

class HostExchanges final : public Exchanges {
public:
  HostExchanges(const GpuContext &gpu, const Streams &streams,
                Rendezvous &rendezvous, FlightLog &log)
      : gpu(gpu), streams(streams), rendezvous(rendezvous), log(log) {}

  void connect() override {} // as the transport of the host has
  bool areOnGpu() const override { return false; }

  int makeCommunicator(const std::vector<std::vector<int>> &lists) override;
  void allReduce(int stream, int communicator, ElementType type,
                 Reduction reduction, DevicePointer in, DevicePointer out,
                 int64_t count) override;
  void allGather(int stream, int communicator, DevicePointer in,
                 DevicePointer out, int64_t bytes) override;
  void reduceScatter(int stream, int communicator, ElementType type,
                     Reduction reduction, DevicePointer in, DevicePointer out,
                     int64_t count) override;
  void exchange(int stream, int communicator, int64_t bytes,
                std::span<const device::Message> messages) override;

private:
  using Bytes = std::vector<std::byte>;

  /// A collective, whose input comes from `in` and whose result goes to `out`.
  template <typename Call>
  void stage(int stream, DevicePointer in, int64_t inBytes, DevicePointer out,
             int64_t outBytes, Call call);
  /// One exchange: failures say which one they ended.
  template <typename Call> void named(int stream, Call call);
  void sendOrReceive(int stream, size_t channel, int64_t bytes,
                     const device::Message &message);
  void exchangeInGroup(int stream, const Group &group, int64_t bytes,
                       std::span<const device::Message> messages);
  void fetch(int stream, std::byte *to, DevicePointer from, int64_t bytes);
  void store(int stream, DevicePointer to, const std::byte *from,
             int64_t bytes);
  void waitFor(int stream);
  const Group &groupAt(int communicator) const;

  const GpuContext &gpu;
  const Streams &streams;
  Rendezvous &rendezvous;
  FlightLog &log;
  /// By communicator: the transport's channel. The first ones are of groups,
  /// which have their numbers.
  std::vector<std::optional<size_t>> channels;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_HOSTEXCHANGES_H
