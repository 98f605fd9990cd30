// SPDX-License-Identifier: Apache-2.0
//
// One repetition of a block on one rank, for one micro-batch: every kernel and
// every message, written down one by one from the plan's layout, and what they
// add up to.

#ifndef SHARDSMITH_LIB_CHECK_UNITWORK_H
#define SHARDSMITH_LIB_CHECK_UNITWORK_H

#include "Groups.h"
#include "LocalBlock.h"
#include "SharedNames.h"
#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Cost/Kernels/KernelTimes.h"

#include <array>

namespace shardsmith::check {

enum class Pass { Forward, Backward };

struct Kernel {
  size_t op = 0;
  /// Of parameters' gradients, which nobody waits for; else of the pass.
  bool forWeights = false;
  Pass pass = Pass::Forward;
  Nanoseconds time;
  /// By `Recompute`: forward, and part of what is done again.
  std::array<bool, 3> repeated = {};
};

/// A collective that this rank and the others of its group all take part in.
struct Message {
  Degree axis = Degree::Tensor;
  Pass pass = Pass::Forward;
  CollectiveOp operation = CollectiveOp::AllReduce;
  /// Of the whole tensor.
  Bytes bytes;
  /// A ring sends this many times.
  int64_t rounds = 1;
  /// What the kernels beside it do not hide.
  Nanoseconds exposed;
  std::array<bool, 3> repeated = {};
};

/// What the units of a rank do in the setting of its device pool.
struct UnitSetting : UnitPaths {
  const workload::Workload &workload;
  const SharedNames &sharedNames;
  const Strategy &strategy;
  const KernelTimes &kernels;
  const CollectiveTimes &collectives;
};

struct UnitWork {
  std::vector<Kernel> kernels;
  std::vector<Message> messages;
  /// By `Recompute`: bytes from forward to backward, and time added.
  std::array<Bytes, 3> saved;
  std::array<Nanoseconds, 3> again;
  Bytes workingSet;
  /// Parameters that no other unit uses, and by group of shared tensors those
  /// that others do.
  Elements own;
  std::map<size_t, Elements> common;
  /// All of them.
  Elements parameters() const;
  /// To the next unit, should it be on another stage.
  Bytes handedOn;

  // Sums over the lists, and the host's share.
  Nanoseconds forward, backwardInput, backwardWeight;
  Nanoseconds exposed(Degree axis, Pass pass) const;
  Nanoseconds exposed(Pass pass) const;
};

/// Fails with a sentence if the setting cannot run the block.
std::optional<UnitWork> deriveUnit(const UnitSetting &setting,
                                   workload::BlockIndex block,
                                   std::string &problem);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_UNITWORK_H
