// SPDX-License-Identifier: Apache-2.0

#include "PeerWatch.h"

#include <cerrno>
#include <csignal>

#include <poll.h>
#include <sys/syscall.h>

namespace shardsmith::runtime {

PeerWatch::PeerWatch(const std::vector<int32_t> &processes)
    : processes(processes) {
  for (int32_t process : processes)
    descriptors.emplace_back(
        static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

bool PeerWatch::hasEnded(int index) const {
  if (!descriptors[index].isOpen())
    return kill(processes[index], 0) != 0 && errno == ESRCH;
  pollfd request{descriptors[index].get(), POLLIN, 0};
  return poll(&request, 1, 0) > 0;
}

} // namespace shardsmith::runtime
