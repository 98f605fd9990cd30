// SPDX-License-Identifier: Apache-2.0

#include "../Seconds.h"
#include "DeviceRates.h"
#include "shardsmith/Cost/Kernels/KernelTimes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace shardsmith {
namespace {

using cost::bytesOf;
using cost::peakOf;
using workload::ElementType;

struct AttentionWork {
  /// Operations that the mask leaves, and those of the whole square.
  double needed, square;
  double scores;
  /// Bytes of queries, keys, values and results.
  double operands;
};

AttentionWork workOf(const KernelTimes::AttentionSize &size, double bytes) {
  double pairs = double(size.sequences) * double(size.queryHeads) *
                 double(size.queries) * double(size.keys);
  double headSizes = double(size.headSize) + double(size.valueSize);
  double rows =
      double(size.sequences) * (double(size.queryHeads) * double(size.queries) +
                                double(size.keyValueHeads) * double(size.keys));
  return {2 * pairs * headSizes * size.density, 2 * pairs * headSizes, pairs,
          rows * headSizes * bytes};
}

/// The fit of a device without measured kernels: four fifths of the rate of
/// large products, of which long sequences alone come close.
AttentionFit plainFit(const DeviceType &device, double peak) {
  AttentionFit fit;
  fit.headSize = 1;
  fit.flopsPerSecond = peak * 0.8 * device.matmulEfficiency;
  fit.halfRateLength = device.kind == "gpu" ? 500 : 0;
  fit.memoryShare = device.memoryEfficiency;
  fit.baseSeconds = double(device.launch.count()) * 1e-9;
  return fit;
}

/// Time of a kernel for heads of `headSize` ÷ for those of `kernelSize`.
/// Products shrink with the head, in steps of 32 columns. Exponentials do not:
/// there is one per score, however many products a pass has (`work` times those
/// of the forward pass).
double narrowShare(double headSize, double kernelSize, double work) {
  constexpr double exponentials = 0.15, step = 32;
  double perScore = exponentials / work;
  double columns = std::min(step * std::ceil(headSize / step), kernelSize);
  return perScore + (1 - perScore) * columns / kernelSize;
}

/// One pass of fused attention: `work` times the operations of the forward
/// pass at `rate` of the device's forward rate.
class FusedPass {
public:
  FusedPass(const DeviceType &device, const KernelTimes::AttentionSize &size,
            ElementType type, double work, double rate)
      : device(device), all(workOf(size, bytesOf(type))), work(work),
        rate(rate), peak(peakOf(device, type)),
        headSize((double(size.headSize) + double(size.valueSize)) / 2),
        // The length of a sequence is the geometric mean of queries and keys
        // where the two differ.
        length(
            std::max(1.0, std::sqrt(double(size.queries) * double(size.keys)))),
        rows(std::max(1.0, double(size.sequences) * double(size.queryHeads) *
                               length)) {}

  /// Heads are padded to a size whose kernel was measured; the fastest such
  /// kernel counts. Sizes below have kernels of their own, which are no faster
  /// than those of the next smaller size that was measured.
  double seconds() const {
    const std::vector<AttentionFit> &fits = device.attentionFits;
    if (fits.empty())
      return secondsOf(plainFit(device, peak), 1);
    auto wider = std::ranges::lower_bound(fits, headSize, {}, sizeOf);
    if (wider == fits.end())
      return secondsOf(fits.back(), 1);
    double share = narrowShare(headSize, sizeOf(*wider), work);
    double time = fastest(wider, share);
    return wider == fits.begin() ? time : std::max(time, fastest(wider - 1, 1));
  }

private:
  using Fits = std::vector<AttentionFit>::const_iterator;

  static double sizeOf(const AttentionFit &fit) { return double(fit.headSize); }

  /// The fastest kernel for heads that are as wide as those of `first` or
  /// wider.
  double fastest(Fits first, double share) const {
    double best = std::numeric_limits<double>::infinity();
    for (; first != device.attentionFits.end(); ++first)
      best =
          std::min(best, secondsOf(*first, sizeOf(*first) / headSize * share));
    return best;
  }

  double secondsOf(const AttentionFit &fit, double padding) const {
    double arithmetic =
        work * padding * all.needed *
        (1 + fit.halfRateLength / length + fit.halfRateRows / rows) /
        (std::min(fit.flopsPerSecond, peak) * rate);
    double memory =
        work * all.operands / (device.bytesPerSecond * fit.memoryShare);
    return fit.baseSeconds + cost::smoothMaximum(arithmetic, memory, 4);
  }

  const DeviceType &device;
  AttentionWork all;
  double work, rate, peak, headSize, length, rows;
};

/// Attention of separate kernels: products over the whole square, and passes
/// over its scores.
double unfusedSeconds(const DeviceType &device, const StackProfile &stack,
                      const KernelTimes::AttentionSize &size, ElementType type,
                      double work) {
  AttentionWork all = workOf(size, bytesOf(type));
  double rate = peakOf(device, type) * stack.unfusedAttentionRate;
  bool isAligned = size.headSize % 8 == 0 && size.valueSize % 8 == 0;
  if (device.kind == "gpu" && !isAligned)
    rate *= stack.misalignedHeadRate;
  double products = all.square / rate;
  double passes = stack.unfusedAttentionPasses * all.scores * bytesOf(type) /
                  (device.bytesPerSecond * device.memoryEfficiency);
  constexpr double kernels = 3;
  return work *
         (products + passes + kernels * double(device.launch.count()) * 1e-9);
}

} // namespace

Nanoseconds KernelTimes::attentionForward(const AttentionSize &size,
                                          ElementType type) const {
  if (!stack->fusedAttention)
    return cost::roundUp(unfusedSeconds(*described, *stack, size, type, 1));
  FusedPass pass(*described, size, type, 1, stack->attentionForwardRate);
  return cost::roundUp(pass.seconds());
}

Nanoseconds KernelTimes::attentionBackward(const AttentionSize &size,
                                           ElementType type) const {
  // Two products for each of the forward pass, and fused kernels compute the
  // scores again.
  if (!stack->fusedAttention)
    return cost::roundUp(unfusedSeconds(*described, *stack, size, type, 2));
  FusedPass pass(*described, size, type, 2.5, stack->attentionBackwardRate);
  return cost::roundUp(pass.seconds());
}

} // namespace shardsmith
