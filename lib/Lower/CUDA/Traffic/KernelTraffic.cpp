// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one function do alike work on different parts, so a few of them
// stand for all: *windows* of neighbours, evenly spaced, for those between the
// first and the last one, which stand for themselves.
//
//     blocks   0 │ 1 2 3 … │ … 400 401 402 … │ … 799 800 801 … │ last
//              └─┘ └─────┘       └─────────┘       └─────────┘   └──┘
//
// Devices begin blocks in their order, and hold hundreds at once: what
// neighbours ask for comes through memory once, as far as half of the level-two
// cache holds it. The first half of a window stands for what is there before.

#include "shardsmith/Lower/CUDA/KernelTraffic.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

#include "WarpRun.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Ops of warps that are gone through per function, unless one block has more.
constexpr int64_t mostSteps = 40'000;
constexpr int64_t mostBlocksRun = 48;
/// Blocks of a window, where there are so many.
constexpr int64_t blocksOfWindow = 16;

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
    threads = result.threadsPerBlock;
    for (Sectors *sectors : {&asked, &moved}) {
      sectors->read.resize(arguments);
      sectors->written.resize(arguments);
    }

    Window window(arguments);
    if (failed(runBlocks(window, 0, 1, 1)))
      return failure();
    if (failed(findShared(result.blocks)))
      return failure();
    int64_t blocks = result.blocks / members;
    int64_t affordable = std::clamp(mostSteps / std::max<int64_t>(steps, 1),
                                    int64_t(1), mostBlocksRun - 1);
    result.isExact = blocks - 1 <= affordable;
    if (result.isExact) {
      if (failed(runBlocks(window, 1, blocks - 1, 1)))
        return failure();
      close(window, 1);
    } else {
      close(window, 1);
      if (failed(runSome(blocks, affordable)))
        return failure();
    }
    finish(result);
    result.isExact &= !dependsOnData;
    return result;
  }

private:
  /// What neighbours ask for, as long as the cache keeps it.
  struct Window {
    std::vector<llvm::DenseSet<int64_t>> read, written;
    /// Of these, by argument, what is there before anything counts.
    std::vector<size_t> readBefore, writtenBefore;

    explicit Window(unsigned arguments)
        : read(arguments), written(arguments), readBefore(arguments),
          writtenBefore(arguments) {}
    void countFromHere() {
      for (size_t i = 0; i < read.size(); ++i) {
        readBefore[i] = read[i].size();
        writtenBefore[i] = written[i].size();
      }
    }
    Bytes bytes() const {
      Bytes sum = Bytes(0);
      for (const auto *sets : {&read, &written})
        for (const llvm::DenseSet<int64_t> &sectors : *sets)
          sum += Bytes(sectorBytes) * static_cast<int64_t>(sectors.size());
      return sum;
    }
  };

  void close(Window &window, double share) {
    for (unsigned i = 0; i < arguments; ++i) {
      moved.read[i] +=
          share * double(window.read[i].size() - window.readBefore[i]);
      moved.written[i] +=
          share * double(window.written[i].size() - window.writtenBefore[i]);
    }
    window = Window(arguments);
  }

  /// The blocks `first`, …, `first + count − 1`, each for `share`.
  LogicalResult runBlocks(Window &window, int64_t first, int64_t count,
                          double share) {
    for (int64_t i = 0; i < count; ++i) {
      if (failed(runBlock(first + i, share, window)))
        return failure();
      if (window.bytes() > cachedBuffer)
        close(window, share);
    }
    return success();
  }

  /// A window that stands for `count` blocks. Its first half fills the cache.
  LogicalResult runWindow(int64_t first, int64_t size, double count) {
    Window window(arguments);
    double share = count / double(size);
    int64_t before = size / 2;
    if (failed(runBlocks(window, first, before, share)))
      return failure();
    window.countFromHere();
    if (failed(runBlocks(window, first + before, size - before, share)))
      return failure();
    close(window, count / double(size - before));
    return success();
  }

  /// Blocks behind the first one, so many or the last one alone.
  LogicalResult runSome(int64_t blocks, int64_t affordable) {
    int64_t middle = blocks - 2, more = affordable - 1;
    int64_t windows = ceilDivide(more, blocksOfWindow);
    if (windows == 0)
      scale(double(blocks - 1));
    for (int64_t i = 0; i < windows; ++i) {
      int64_t size = more / windows;
      int64_t first =
          1 + (middle - size) * i / std::max(windows - 1, int64_t(1));
      if (failed(runWindow(first, size, double(middle) / double(windows))))
        return failure();
    }
    return runWindow(blocks - 1, 1, 1);
  }

  LogicalResult runBlock(int64_t block, double share, Window &window) {
    BlockTraffic traffic;
    traffic.read.resize(arguments);
    traffic.written.resize(arguments);
    for (int64_t first = 0; first < threads; first += lanesOfWarp)
      if (failed(WarpRun(function, block, first, traffic).run()))
        return failure();
    for (unsigned argument = 0; argument < arguments; ++argument) {
      const auto &read = traffic.read[argument];
      const auto &written = traffic.written[argument];
      asked.read[argument] += share * double(read.size());
      asked.written[argument] += share * double(written.size());
      window.read[argument].insert(read.begin(), read.end());
      window.written[argument].insert(written.begin(), written.end());
    }
    sectorsNeeded += share * double(traffic.sectorsNeeded);
    sectorsAsked += share * double(traffic.sectorsAsked);
    lanesActive += share * double(traffic.lanesActive);
    lanesThere += share * double(traffic.lanesThere);
    steps += traffic.steps;
    dependsOnData |= traffic.dependsOnData;
    return success();
  }

  /// Of a launch of several kernels the first one's blocks stand for all. Which
  /// buffers others have as well shows in the last block.
  LogicalResult findShared(int64_t blocks) {
    shared.resize(arguments);
    if (auto known = function->getAttrOfType<IntegerAttr>(membersAttributeName))
      members = known.getInt();
    if (members == 1)
      return success();
    BlockTraffic traffic;
    traffic.read.resize(arguments);
    traffic.written.resize(arguments);
    for (int64_t first = 0; first < threads; first += lanesOfWarp)
      if (failed(WarpRun(function, blocks - 1, first, traffic).run()))
        return failure();
    for (unsigned argument = 0; argument < arguments; ++argument)
      shared[argument] = !traffic.read[argument].empty();
    return success();
  }

  /// Makes what was run so far stand for `share` times as many blocks.
  void scale(double share) {
    for (std::vector<double> *list :
         {&asked.read, &asked.written, &moved.read, &moved.written})
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
      for (auto [askedFor, throughMemory] :
           {std::pair(asked.read[argument], moved.read[argument]),
            std::pair(asked.written[argument], moved.written[argument])}) {
        int64_t times = shared[argument] ? 1 : members;
        result.asked +=
            Bytes(std::llround(askedFor * double(sectorBytes))) * members;
        // The last sector of a buffer is moved in part.
        if (Bytes(bytes) <= cachedBuffer && askedFor >= double(sectors))
          result.moved += Bytes(bytes) * times;
        else
          result.moved +=
              Bytes(std::llround(throughMemory * double(sectorBytes))) * times;
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
  int64_t threads = 0;      ///< of a block
  int64_t members = 1;      ///< kernels of the launch
  std::vector<bool> shared; ///< arguments that several members read
  struct Sectors {
    std::vector<double> read, written; ///< by argument
  };
  /// As blocks ask for them, and as windows do.
  Sectors asked, moved;
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
