// SPDX-License-Identifier: Apache-2.0
//
// The words of ops in workload files.

#ifndef SHARDSMITH_LIB_WORKLOAD_DESCRIPTORWORDS_H
#define SHARDSMITH_LIB_WORKLOAD_DESCRIPTORWORDS_H

#include "shardsmith/Workload/Descriptors.h"

#include <span>

namespace shardsmith::workload {

struct DescriptorWord {
  std::string_view word;
  /// The parts of attention are written apart.
  OpDescriptors descriptors;
};
std::span<const DescriptorWord> descriptorWords();

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_DESCRIPTORWORDS_H
