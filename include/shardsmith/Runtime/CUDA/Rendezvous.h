// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_CUDA_RENDEZVOUS_H
#define SHARDSMITH_RUNTIME_CUDA_RENDEZVOUS_H

#include "shardsmith/Runtime/Transport/Transport.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardsmith::runtime::cuda {

/// How the hosts of a program's ranks talk to each other: before their GPUs
/// can, or instead of them.
class Rendezvous {
public:
  virtual ~Rendezvous() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// How long a rank waits for another one that makes no progress.
  virtual std::chrono::milliseconds deadline() const = 0;

  // All ranks call these two, in the same order.
  /// The values of all ranks, by rank.
  virtual std::vector<int64_t> gather(int64_t value) = 0;
  /// The bytes of rank 0 become those of all ranks.
  virtual void broadcast(std::byte *bytes, int64_t count) = 0;

  /// What carries tensors where GPUs do not, and with whom: the groups and the
  /// channels of the program.
  virtual Transport &transport() = 0;
  virtual const GroupTable &groups() const = 0;

  /// Throws a Failure if another rank has failed or is gone.
  virtual void checkPeers() = 0;
  /// Other ranks need not give up on this one.
  virtual void noteProgress() = 0;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_RENDEZVOUS_H
