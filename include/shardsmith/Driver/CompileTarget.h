// SPDX-License-Identifier: Apache-2.0
//
// What a program is compiled for: `cpu`, or `cuda:` and chips.

#ifndef SHARDSMITH_DRIVER_COMPILETARGET_H
#define SHARDSMITH_DRIVER_COMPILETARGET_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Lower/Common/Target.h"
#include "shardsmith/Train/ExpertRows.h"

#include <string>
#include <vector>

namespace shardsmith {

struct CompileTarget {
  /// As ptxas names them; none for processors.
  std::vector<std::string> chips;
  /// Whether their code is made beside PTX, where ptxas is.
  bool hasCode = true;

  bool isCuda() const { return !chips.empty(); }
  const lower::TargetTraits &traits() const;
};

/// Reads `cpu`, `cuda:sm_90a,sm_80`, or `cuda` for all chips. Throws Failure
/// (Usage) that lists what there is.
CompileTarget parseCompileTarget(const std::string &text);

/// What the devices of a cluster are: processors, or the chips whose code they
/// run (a10, which is sm_86, runs that of sm_80). Throws Failure (Unsupported)
/// for devices that there is no code for, and for both kinds together.
CompileTarget impliedTarget(const Cluster &cluster);

/// What programs for a cluster exchange between ranks of experts where `asked`
/// leaves it open. Those for GPUs send all slots, in use or not, so that
/// buffers of fixed size never send more (docs/lowering-cuda.md).
ExpertExchange exchangeFor(ExpertExchange asked, const Cluster &cluster);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_COMPILETARGET_H
