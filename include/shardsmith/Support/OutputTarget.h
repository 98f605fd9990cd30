// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_OUTPUTTARGET_H
#define SHARDSMITH_SUPPORT_OUTPUTTARGET_H

#include <string>

namespace shardsmith {

/// What an output path leads to. This is the one place that decides it, for
/// the compiler and for the programs it makes:
///
///   nothing yet, or a plain file          replaced by a new file
///   a device or pipe, perhaps by a link   written to; it stays what it is
///   /dev/stdout, /dev/fd/3                the open file behind the number
///   a folder, a block device              refused
///   a link to a plain file or to nothing  refused: replacing the link loses
///                                         it, replacing its target is a
///                                         surprise
struct OutputTarget {
  /// Why nothing may be written there; empty if it may.
  std::string problem;
  /// Written to in place, byte after byte, never replaced.
  bool isStream = false;
  /// The open file of this process that the path names, −1 for none.
  int descriptor = -1;
};

OutputTarget findOutputTarget(const std::string &path);

/// Opens a path for writing from its beginning to its end: a stream as it is,
/// anything else as a file made empty. Returns −1 and says why in `problem` if
/// it cannot.
int openOutput(const std::string &path, std::string &problem);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_OUTPUTTARGET_H
