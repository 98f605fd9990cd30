// SPDX-License-Identifier: Apache-2.0
//
// Exchanges by NCCL: a communicator of all ranks, from which all others are
// split. They do not block: a call that has to wait for other ranks is polled,
// against a deadline.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_NCCLEXCHANGES_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_NCCLEXCHANGES_H

#include "Exchanges.h"
#include "FlightLog.h"
#include "NcclApi.h"

#include "shardsmith/Runtime/CUDA/Rendezvous.h"

#include <optional>

namespace shardsmith::runtime::cuda {

class NcclExchanges final : public Exchanges {
public:
  /// Opens NCCL; with one rank nothing is opened. Talks to no other rank.
  NcclExchanges(const Streams &streams, Rendezvous &rendezvous, FlightLog &log);
  ~NcclExchanges() override;
  NcclExchanges(const NcclExchanges &) = delete;
  NcclExchanges &operator=(const NcclExchanges &) = delete;

  /// Makes the communicator of all ranks.
  void connect() override;
  bool areOnGpu() const override { return true; }

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

  void checkErrors() override;
  void abort() noexcept override;

private:
  NcclComm at(int communicator) const;
  /// `exchange`: the one that the call is for, if it is for one.
  [[noreturn]] void refuse(const char *function, NcclResult result,
                           NcclComm comm,
                           std::optional<std::string> exchange = std::nullopt);
  /// Waits until a call on the communicator has ended, and checks its result.
  void settle(const char *function, NcclResult result, NcclComm comm);
  /// After the call that puts an exchange into a stream.
  void put(const char *function, NcclResult result, int communicator,
           int stream);

  const Streams &streams;
  Rendezvous &rendezvous;
  FlightLog &log;
  NcclApi api = {};
  NcclComm world = nullptr;
  bool isWorldTaken = false;
  /// By number; null: of one rank, or without this one.
  std::vector<NcclComm> comms;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_NCCLEXCHANGES_H
