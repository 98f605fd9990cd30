// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CPU_CODEOPTIONS_H
#define SHARDSMITH_LOWER_CPU_CODEOPTIONS_H

#include <string>

namespace shardsmith {

/// How kernels become machine code.
struct CodeOptions {
  /// As LLVM names processors; "native" is the one we run on.
  std::string processor = "native";
  /// Code that is not optimised takes half the time to make, and more to run.
  bool isOptimized = true;
};

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CPU_CODEOPTIONS_H
