// SPDX-License-Identifier: Apache-2.0
//
// Between which ranks messages go, and how much room they need so that no
// sender ever waits for a receiver.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_CHANNELS_H
#define SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_CHANNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Support/Quantity.h"

#include <vector>

namespace shardsmith::lower {

struct Channel {
  /// Ranks of the program.
  int64_t from = 0, to = 0;
  /// Most that is ever under way, however the ranks are delayed.
  Bytes bytes;
};

/// Of a program whose ranks have programs of their own (`rankFunctions`).
///
/// What is under way from one rank to another is most when the receiver stands
/// still and all others go on until they wait for it. So for every place in the
/// receiver's program the others are run that far, through two steps: no rank
/// is ahead of another by more.
std::vector<Channel> findChannels(mlir::func::FuncOp main);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_CHANNELS_H
