// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PARTITION_COLLECTIVETRAFFIC_H
#define SHARDSMITH_PARTITION_COLLECTIVETRAFFIC_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Sharding/Communication.h"

#include <string>
#include <vector>

namespace shardsmith {

/// What one rank communicates by collectives of one kind over the same axes.
struct CollectiveTraffic {
  CollectiveKind kind;
  /// Major to minor; empty for permutes that name none.
  std::vector<std::string> axes;
  /// Number of members; for permutes that name no axes all devices.
  int64_t groupSize = 1;
  int64_t calls = 0;
  /// By the definition of docs/program-manifest.md.
  Bytes bytes;
};

/// The traffic of one rank in one run of a local function, by kind and axes in
/// the order of first occurrence.
std::vector<CollectiveTraffic> collectTraffic(mlir::func::FuncOp function,
                                              int64_t rank);

/// Sum over everything in `traffic`.
Bytes getTotalBytes(const std::vector<CollectiveTraffic> &traffic);

} // namespace shardsmith

#endif // SHARDSMITH_PARTITION_COLLECTIVETRAFFIC_H
