// SPDX-License-Identifier: Apache-2.0
//
// Chooses how the ranks of a job exchange data.

#ifndef SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORTFACTORY_H
#define SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORTFACTORY_H

#include "shardsmith/Runtime/LaunchEnvironment.h"
#include "shardsmith/Runtime/ThreadTeam.h"
#include "shardsmith/Runtime/Transport/Transport.h"

#include <memory>

namespace shardsmith::runtime {

/// Automatic: shared memory on one machine, else MPI.
enum class TransportChoice { Automatic, SharedMemory, Mpi };

/// `programHash` must be equal on all ranks; `groups` and `team` must outlive
/// the transport. Returns when all ranks have done the same.
std::unique_ptr<Transport>
makeTransport(TransportChoice choice, const GroupTable &groups,
              uint64_t programHash, const LaunchEnvironment &environment,
              const ThreadTeam &team, const TransportOptions &options);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORTFACTORY_H
