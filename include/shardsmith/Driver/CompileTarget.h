// SPDX-License-Identifier: Apache-2.0
//
// What a program is compiled for: `cpu`, or `cuda:` and chips.

#ifndef SHARDSMITH_DRIVER_COMPILETARGET_H
#define SHARDSMITH_DRIVER_COMPILETARGET_H

#include <string>
#include <vector>

namespace shardsmith {

struct CompileTarget {
  /// As ptxas names them; none for processors.
  std::vector<std::string> chips;
  /// Whether their code is made beside PTX, where ptxas is.
  bool hasCode = true;

  bool isCuda() const { return !chips.empty(); }
};

/// Reads `cpu`, `cuda:sm_90a,sm_80`, or `cuda` for all chips. Throws Failure
/// (Usage) that lists what there is.
CompileTarget parseCompileTarget(const std::string &text);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_COMPILETARGET_H
