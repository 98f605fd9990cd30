// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include "MessageTransport.h"
#include "MpiMessenger.h"
#include "SharedMemoryTransport.h"
#include "SingleRankTransport.h"

namespace shardsmith::runtime {

std::unique_ptr<Transport>
makeTransport(TransportChoice choice, const GroupTable &groups,
              uint64_t programHash, const LaunchEnvironment &environment,
              const ThreadTeam &team, const TransportOptions &options) {
  if (environment.ranks == 1)
    return std::make_unique<SingleRankTransport>();
  if (choice == TransportChoice::Automatic)
    choice = environment.onOneMachine() ? TransportChoice::SharedMemory
                                        : TransportChoice::Mpi;
  if (choice == TransportChoice::Mpi) {
    // A rank may compute, or write a checkpoint, for a long time, which the
    // others cannot see over MPI.
    constexpr int patience = 10;
    return std::make_unique<MessageTransport>(
        groups, makeMpiMessenger(environment, options.deadline * patience),
        team);
  }
  if (!environment.onOneMachine())
    fail(ExitCode::Usage,
         "{} of {} ranks run on this machine; shared memory reaches only "
         "these, use --transport mpi",
         environment.localRanks, environment.ranks);
  return std::make_unique<SharedMemoryTransport>(groups, programHash,
                                                 environment, team, options);
}

} // namespace shardsmith::runtime
