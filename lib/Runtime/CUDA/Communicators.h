// SPDX-License-Identifier: Apache-2.0
//
// Communicators of NCCL: one of all ranks, from which all others are split.
// They do not block: a call that has to wait for other ranks is polled, against
// a deadline.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_COMMUNICATORS_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_COMMUNICATORS_H

#include "FlightLog.h"
#include "NcclApi.h"

#include "shardsmith/Runtime/CUDA/Rendezvous.h"
#include "shardsmith/Runtime/ElementType.h"

#include <functional>

namespace shardsmith::runtime::cuda {

class Communicators {
public:
  /// Opens NCCL; with one rank nothing is opened. Talks to no other rank.
  Communicators(GpuContext &gpu, const Streams &streams,
                Rendezvous &rendezvous);
  ~Communicators();
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;

  /// The ranks of one call of the program, by lists as Device.h says.
  int make(const std::vector<std::vector<int>> &lists);

  void beginGroup();
  void endGroup();
  void allReduce(int stream, int communicator, ElementType type,
                 Reduction reduction, DevicePointer in, DevicePointer out,
                 int64_t count);
  void allGather(int stream, int communicator, DevicePointer in,
                 DevicePointer out, int64_t bytes);
  void reduceScatter(int stream, int communicator, ElementType type,
                     Reduction reduction, DevicePointer in, DevicePointer out,
                     int64_t count);
  void send(int stream, int communicator, int peer, DevicePointer from,
            int64_t bytes);
  void receive(int stream, int communicator, int peer, DevicePointer to,
               int64_t bytes);

  FlightLog &flight() { return log; }
  /// Throws a Failure that names the exchange if NCCL has found an error since.
  void checkErrors();
  /// Ends what waits for other ranks on the GPU. Nothing else may be called
  /// after it.
  void abort() noexcept;

private:
  void connect();
  NcclComm at(int communicator) const;
  /// `exchange`: the one that the call is for, if it is for one.
  [[noreturn]] void refuse(const char *function, NcclResult result,
                           NcclComm comm,
                           std::optional<std::string> exchange = std::nullopt);
  /// Waits until a call on the communicator has ended, and checks its result.
  void settle(const char *function, NcclResult result, NcclComm comm);
  /// After a call that puts work into a stream; in a group, at its end.
  void put(const char *function, NcclResult result, int communicator,
           int stream);

  const Streams &streams;
  Rendezvous &rendezvous;
  FlightLog log;
  NcclApi api = {};
  NcclComm world = nullptr;
  bool isWorldTaken = false;
  /// By number; null: of one rank, or without this one.
  std::vector<NcclComm> comms;
  struct GroupCall {
    int communicator, stream;
  };
  bool isInGroup = false;
  std::vector<GroupCall> group;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_COMMUNICATORS_H
