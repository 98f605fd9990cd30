// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one function do alike work on different parts, so a few of them,
// evenly spaced, stand for all; the last one stands for itself.

#include "shardsmith/Lower/CUDA/KernelTraffic.h"

#include "WarpRun.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Ops of warps that are gone through per function, unless one block has more.
constexpr int64_t mostSteps = 40'000;
constexpr int64_t mostBlocksRun = 24;

int64_t bytesOfBuffer(Type type) {
  auto memory = cast<MemRefType>(type);
  return memory.getNumElements() *
         ((memory.getElementType().getIntOrFloatBitWidth() + 7) / 8);
}

class Estimate {
public:
  explicit Estimate(gpu::GPUFuncOp function) : function(function) {}

  FailureOr<KernelTraffic> run() {
    if (!function.getKnownGridSize() || !function.getKnownBlockSize())
      return function.emitOpError("has no known size of its grid and blocks");
    KernelTraffic result = shapeOfKernel(function);
    arguments = function.getNumArguments();
    read.resize(arguments);
    written.resize(arguments);

    if (failed(runBlock(0, result.threadsPerBlock, 1)))
      return failure();
    int64_t more = std::clamp(mostSteps / std::max<int64_t>(steps, 1),
                              int64_t(1), mostBlocksRun - 1);
    more = std::min(more, result.blocks - 1);
    // Blocks 0, …, blocks − 2 are `spaced` runs; the last is one.
    int64_t spaced = std::max<int64_t>(more - 1, 0);
    double share = double(result.blocks - 1) / double(spaced + 1);
    if (more > 0)
      scale(share);
    for (int64_t i = 1; i <= spaced; ++i)
      if (failed(runBlock(i * (result.blocks - 1) / (spaced + 1),
                          result.threadsPerBlock, share)))
        return failure();
    if (more > 0 &&
        failed(runBlock(result.blocks - 1, result.threadsPerBlock, 1)))
      return failure();
    finish(result);
    result.isExact = !dependsOnData && spaced + 2 >= result.blocks;
    return result;
  }

private:
  LogicalResult runBlock(int64_t block, int64_t threads, double share) {
    BlockTraffic traffic;
    traffic.read.resize(arguments);
    traffic.written.resize(arguments);
    for (int64_t first = 0; first < threads; first += lanesOfWarp)
      if (failed(WarpRun(function, block, first, traffic).run()))
        return failure();
    for (unsigned argument = 0; argument < arguments; ++argument) {
      read[argument] += share * double(traffic.read[argument].size());
      written[argument] += share * double(traffic.written[argument].size());
    }
    sectorsNeeded += share * double(traffic.sectorsNeeded);
    sectorsAsked += share * double(traffic.sectorsAsked);
    lanesActive += share * double(traffic.lanesActive);
    lanesThere += share * double(traffic.lanesThere);
    steps += traffic.steps;
    dependsOnData |= traffic.dependsOnData;
    return success();
  }

  /// Makes what was run so far stand for `share` times as many blocks.
  void scale(double share) {
    for (std::vector<double> *list : {&read, &written})
      for (double &sectors : *list)
        sectors *= share;
    for (double *sum :
         {&sectorsNeeded, &sectorsAsked, &lanesActive, &lanesThere})
      *sum *= share;
  }

  void finish(KernelTraffic &result) {
    for (unsigned argument = 0; argument < arguments; ++argument) {
      int64_t bytes = bytesOfBuffer(function.getArgument(argument).getType());
      int64_t sectors = llvm::divideCeil(bytes, sectorBytes);
      for (double count : {read[argument], written[argument]}) {
        double asked = count * double(sectorBytes);
        result.asked += Bytes(int64_t(asked));
        // The last sector of a buffer is moved in part.
        if (Bytes(bytes) <= cachedBuffer && count >= double(sectors))
          asked = double(bytes);
        result.moved += Bytes(int64_t(asked));
      }
    }
    if (sectorsAsked > 0)
      result.coalescing = std::min(1.0, sectorsNeeded / sectorsAsked);
    if (lanesThere > 0)
      result.activeLanes = lanesActive / lanesThere;
    result.dependsOnData = dependsOnData;
  }

  gpu::GPUFuncOp function;
  unsigned arguments = 0;
  /// Sectors per argument, as blocks ask for them.
  std::vector<double> read, written;
  double sectorsNeeded = 0, sectorsAsked = 0, lanesActive = 0, lanesThere = 0;
  int64_t steps = 0;
  bool dependsOnData = false;
};

} // namespace

KernelTraffic shapeOfKernel(gpu::GPUFuncOp function) {
  KernelTraffic result;
  result.blocks = function.getKnownGridSize()->front();
  result.threadsPerBlock = function.getKnownBlockSize()->front();
  for (Type buffer : function.getArgumentTypes())
    result.buffers += Bytes(bytesOfBuffer(buffer));
  for (BlockArgument memory : function.getWorkgroupAttributions())
    result.shared += Bytes(bytesOfBuffer(memory.getType()));
  return result;
}

FailureOr<KernelTraffic> estimateTraffic(gpu::GPUFuncOp function) {
  return Estimate(function).run();
}

} // namespace shardsmith::lower
