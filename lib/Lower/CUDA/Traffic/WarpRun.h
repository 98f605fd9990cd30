// SPDX-License-Identifier: Apache-2.0
//
// One warp goes through a device function: positions are computed lane by lane,
// values are not. A lane takes part in an op if its branch does.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_WARPRUN_H
#define SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_WARPRUN_H

#include "LaneIntegers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith::lower {

/// Memory moves in these.
inline constexpr int64_t sectorBytes = 32;

/// What the warps of one block ask for.
struct BlockTraffic {
  /// Per argument of the function the sectors of it.
  std::vector<llvm::DenseSet<int64_t>> read, written;
  /// Of all instructions: the sectors that they ask for, and how many the bytes
  /// of their lanes would fill.
  int64_t sectorsAsked = 0, sectorsNeeded = 0;
  /// Lanes that take part in instructions that compute or move values, and
  /// lanes of the warps that do.
  int64_t lanesActive = 0, lanesThere = 0;
  /// Ops that were gone through, for one warp each.
  int64_t steps = 0;
  bool dependsOnData = false;
};

class WarpRun {
public:
  WarpRun(mlir::gpu::GPUFuncOp function, int64_t block, int64_t firstThread,
          BlockTraffic &traffic)
      : function(function), block(block), firstThread(firstThread),
        traffic(traffic) {}

  /// On failure a diagnostic has been emitted.
  llvm::LogicalResult run();

private:
  llvm::LogicalResult run(mlir::Block &ops, LaneMask lanes);
  llvm::LogicalResult runOp(mlir::Operation *op, LaneMask lanes);
  llvm::LogicalResult runIf(mlir::scf::IfOp op, LaneMask lanes);
  llvm::LogicalResult runFor(mlir::scf::ForOp op, LaneMask lanes);
  void compute(mlir::Operation *op, LaneMask lanes);
  void access(mlir::Value memory, mlir::Value position, mlir::Type moved,
              bool isWrite, LaneMask lanes);
  /// Integers of an array that the program is given.
  void draw(mlir::Operation *load, mlir::Value memory, mlir::Value position);
  void count(LaneMask lanes);
  /// The argument that a buffer is; a branch may have chosen it.
  mlir::BlockArgument argumentOf(mlir::Value memory) const {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(memory);
    return argument ? argument : chosen.at(memory);
  }

  mlir::gpu::GPUFuncOp function;
  int64_t block, firstThread;
  BlockTraffic &traffic;
  llvm::DenseMap<mlir::Value, LaneIntegers> values;
  /// Buffers that branches yield, one for all lanes: blocks choose them.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> chosen;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_WARPRUN_H
