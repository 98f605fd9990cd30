// SPDX-License-Identifier: Apache-2.0
//
// Which parameters of a chain are one tensor used more than once: by the
// repetitions of a block (ALBERT, recurrent weights), or by several blocks
// (tied embeddings).
//
//     embedding ─▶ layer ─▶ layer ─▶ layer ─▶ head
//     table        w        w        w        table     two groups of one
//     tensor table        w.0      w.0      w.1      table     two of w in
//     three uses
//
// A rank that holds some of the uses of a group holds no more tensors of it
// than there are, so
//
//     elements = sum of the `tensors` largest of its uses
//
// is what it holds at most, and just that wherever the uses on a rank are of
// different tensors, or of all of them. Who counts so never counts too little.
// Nor does who takes as many of them as other ranks have uses, but no more, for
// what a rank holds together with others.

#ifndef SHARDSMITH_WORKLOAD_PARAMETERSHARING_H
#define SHARDSMITH_WORKLOAD_PARAMETERSHARING_H

#include "shardsmith/Workload/Workload.h"

#include <optional>
#include <vector>

namespace shardsmith::workload {

/// What the parameters at some positions of some blocks are. One unit is one
/// use, whatever positions of it are of the group.
struct SharedTensors {
  unsigned group = 0;
  /// The different tensors, in those that one unit uses.
  int64_t tensors = 1;
  /// The units of the chain that use some of them.
  int64_t uses = 0;

  bool operator==(const SharedTensors &) const = default;
};

/// Per block, by the position of a parameter: nothing where every use is a
/// tensor of its own.
using ParameterSharing = std::vector<std::vector<std::optional<SharedTensors>>>;

ParameterSharing sharedParameters(const Workload &workload);

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_PARAMETERSHARING_H
