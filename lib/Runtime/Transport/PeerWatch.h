// SPDX-License-Identifier: Apache-2.0
//
// Notices when processes of this machine end.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_PEERWATCH_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_PEERWATCH_H

#include "../FileDescriptor.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardsmith::runtime {

class PeerWatch {
public:
  PeerWatch() = default;
  explicit PeerWatch(const std::vector<int32_t> &processes);

  /// Whether the process with this index has ended, even if nobody has
  /// waited for it yet.
  bool hasEnded(int index) const;

private:
  // A process descriptor cannot be reused for another process as an id can.
  std::vector<FileDescriptor> descriptors;
  std::vector<int32_t> processes; // for kernels without process descriptors
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_PEERWATCH_H
