// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_RUNTIME_SCRATCHBUFFER_H
#define SHARDSMITH_LIB_RUNTIME_SCRATCHBUFFER_H

#include "shardsmith/Runtime/Arena.h"

namespace shardsmith::runtime {

/// Memory beside the arena for the time of one call of a library. It grows to
/// the largest request and is kept.
class ScratchBuffer {
public:
  void *reserve(int64_t bytes) {
    if (bytes > memory.size())
      memory = Mapping::anonymous(bytes);
    return memory.data();
  }

private:
  Mapping memory;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_SCRATCHBUFFER_H
