// SPDX-License-Identifier: Apache-2.0
//
// Times are sums and smooth maxima of terms that grow with every size, so more
// work never takes less time (at equal alignment).

#include "shardsmith/Cost/Kernels/KernelTimes.h"

#include "../Seconds.h"
#include "DeviceRates.h"
#include "Padding.h"

#include <cmath>

namespace shardsmith {
namespace {

using workload::ElementType;

/// Rate of products inside training ÷ alone.
double trainingRate(const StackProfile &stack, ElementType type) {
  switch (type) {
  case ElementType::F4:
    return stack.fourBitMatmulRate;
  case ElementType::F8:
    return stack.lowPrecisionMatmulRate *
           (stack.blockScales ? stack.blockScaleRate : 1);
  case ElementType::I8:
    return stack.lowPrecisionMatmulRate;
  default:
    return stack.matmulRate;
  }
}

bool isAligned(int64_t size) { return size % cost::likedMultiple == 0; }

/// A product of `rows` × `depth` by `depth` × `columns` that moves `elements`;
/// what of the device stays idle counts as further rows.
double productSeconds(const KernelTimes::ProductRates &rates, double rows,
                      int64_t columns, int64_t depth, double elements) {
  double rate = isAligned(columns) && isAligned(depth)
                    ? rates.perSecond
                    : rates.misalignedPerSecond;
  double arithmetic = 2 * rows * double(columns) * double(depth) / rate;
  double memory = elements * rates.bytesPerElement / rates.bytesPerSecond;
  return rates.fit.baseSeconds +
         cost::smoothMaximum(arithmetic, memory, rates.fit.power);
}

} // namespace

KernelTimes::KernelTimes(const DeviceType &device, const StackProfile &profile)
    : described(&device), stack(&profile) {}

KernelTimes::ProductRates KernelTimes::productRates(ElementType type) const {
  ProductRates rates;
  rates.fit = cost::matmulFitOf(*described, type);
  rates.perSecond = cost::peakOf(*described, type) * rates.fit.peakShare *
                    trainingRate(*stack, type);
  rates.misalignedPerSecond = rates.perSecond;
  if (described->kind == "gpu")
    rates.misalignedPerSecond *= stack->misalignedRate;
  rates.bytesPerElement = cost::bytesOf(type);
  rates.bytesPerSecond = described->bytesPerSecond * rates.fit.memoryShare;
  return rates;
}

Nanoseconds KernelTimes::matmul(int64_t batch, int64_t m, int64_t n, int64_t k,
                                const ProductRates &rates) const {
  if (batch <= 0 || m <= 0 || n <= 0 || k <= 0)
    return Nanoseconds(0);
  const MatmulFit &fit = rates.fit;
  // A batch fills the device as more rows would.
  double rows = double(batch) * double(m);
  double padded = rows * (1 + fit.rows / rows + fit.columns / double(n) +
                          fit.depth / double(k));
  double elements = rows * double(k) + rows * double(n) +
                    double(batch) * double(k) * double(n);
  return cost::roundUp(productSeconds(rates, padded, n, k, elements));
}

Nanoseconds KernelTimes::groupedMatmul(int64_t experts, int64_t tokens,
                                       int64_t n, int64_t k,
                                       const ProductRates &rates) const {
  if (experts <= 0 || tokens <= 0 || n <= 0 || k <= 0)
    return Nanoseconds(0);
  // tokens · (1 + half / (tokens per expert))
  double padded =
      double(tokens) + stack->expertHalfRateTokens * double(experts);
  double elements = double(experts) * double(n) * double(k) +
                    double(tokens) * (double(n) + double(k));
  return cost::roundUp(productSeconds(rates, padded, n, k, elements));
}

Nanoseconds KernelTimes::memoryBound(Bytes bytes) const {
  if (bytes.count() <= 0)
    return Nanoseconds(0);
  return traffic(bytes) + described->launch;
}

Nanoseconds KernelTimes::traffic(Bytes bytes) const {
  if (bytes.isSaturated())
    return Nanoseconds::saturated();
  return cost::roundUp(double(bytes.count()) / (described->bytesPerSecond *
                                                described->memoryEfficiency));
}

Nanoseconds KernelTimes::launch() const { return described->launch; }

Nanoseconds KernelTimes::layerFloor() const {
  return cost::roundUp(stack->layerForwardMicroseconds * 1e-6);
}

} // namespace shardsmith
