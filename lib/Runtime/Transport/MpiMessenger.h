// SPDX-License-Identifier: Apache-2.0
//
// Messages over MPI, through the plugin of MPI/Plugin.h.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIMESSENGER_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIMESSENGER_H

#include "Messenger.h"
#include "shardsmith/Runtime/LaunchEnvironment.h"

#include <chrono>
#include <memory>

namespace shardsmith::runtime {

/// Loads the plugin and starts MPI. Throws a Failure that says what is
/// missing, or that MPI sees other ranks than `environment`.
///
/// Other ranks' progress cannot be seen from here, so a wait may take as long
/// as a rank may compute: `deadline` should be generous. That a rank has died
/// is noticed by mpirun or srun, which ends the others.
std::unique_ptr<Messenger>
makeMpiMessenger(const LaunchEnvironment &environment,
                 std::chrono::milliseconds deadline);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIMESSENGER_H
