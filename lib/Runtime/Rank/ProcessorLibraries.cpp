// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rank/ProcessorLibraries.h"

#include "shardsmith/Runtime/Rank/Context.h"

namespace shardsmith::runtime {

ProcessorLibraries &processorLibraries(smith_context &context) {
  if (!context.libraries)
    context.libraries = std::make_shared<ProcessorLibraries>(context.team);
  return *context.libraries;
}

} // namespace shardsmith::runtime
