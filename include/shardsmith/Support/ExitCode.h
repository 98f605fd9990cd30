// SPDX-License-Identifier: Apache-2.0
//
// What a process of Shardsmith says when it ends: the tools, and the programs
// they make. Scripts rely on these numbers; docs/command-line.md lists them.

#ifndef SHARDSMITH_SUPPORT_EXITCODE_H
#define SHARDSMITH_SUPPORT_EXITCODE_H

namespace shardsmith {

enum class ExitCode : int {
  Success = 0,
  /// A defect of Shardsmith itself.
  Internal = 1,
  /// The command line makes no sense.
  Usage = 2,
  /// A file or value given by the user is wrong.
  BadInput = 3,
  /// No plan fits the memory of the cluster.
  NothingFits = 4,
  /// The model uses an op or type that is not supported.
  Unsupported = 5,
  /// Something this machine lacks: compiler, MPI, disk space, a live peer.
  Environment = 6,
  /// Two executions of the same program disagree.
  Mismatch = 7,
  /// The time limit was reached; the best result so far was written.
  TimeLimit = 124,
};

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_EXITCODE_H
