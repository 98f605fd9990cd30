// SPDX-License-Identifier: Apache-2.0
//
// Times are sums and smooth maxima of terms that grow with every size, so more
// work never takes less time (at equal alignment).

#include "shardsmith/Cost/KernelTimes.h"

#include "Seconds.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace shardsmith {
namespace {

using workload::ElementType;

double bytesOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 8;
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::I32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::F8:
  case ElementType::I8:
  case ElementType::Bool:
    return 1;
  case ElementType::F4:
    return 0.5;
  }
  return 4;
}

/// Names in the device's tables, best first.
std::initializer_list<const char *> namesOf(ElementType type) {
  static const std::initializer_list<const char *>
      f64 = {"f64"},
      f32 = {"f32"}, tf32 = {"tf32", "f32"}, f16 = {"f16", "bf16", "f32"},
      bf16 = {"bf16", "f16", "f32"},
      f8 = {"f8E4M3FN", "f8E5M2", "i8", "bf16", "f16", "f32"},
      f4 = {"f4E2M1FN", "f8E4M3FN", "bf16", "f16", "f32"},
      i8 = {"i8", "f8E4M3FN", "i32", "f32"}, i32 = {"i32", "f32"};
  switch (type) {
  case ElementType::F64:
    return f64;
  case ElementType::TF32:
    return tf32;
  case ElementType::F16:
    return f16;
  case ElementType::BF16:
    return bf16;
  case ElementType::F8:
    return f8;
  case ElementType::F4:
    return f4;
  case ElementType::I8:
  case ElementType::Bool:
    return i8;
  case ElementType::I32:
  case ElementType::I64:
    return i32;
  case ElementType::F32:
    return f32;
  }
  return f32;
}

/// Rate of products inside training ÷ alone.
double trainingRate(const StackProfile &stack, ElementType type) {
  switch (type) {
  case ElementType::F4:
    return stack.fourBitMatmulRate;
  case ElementType::F8:
  case ElementType::I8:
    return stack.lowPrecisionMatmulRate;
  default:
    return stack.matmulRate;
  }
}

double peakOf(const DeviceType &device, ElementType type) {
  for (const char *name : namesOf(type)) {
    auto found = device.flopsPerSecond.find(name);
    if (found != device.flopsPerSecond.end() && found->second > 0)
      return found->second;
  }
  double largest = 0;
  for (const auto &[name, peak] : device.flopsPerSecond)
    largest = std::max(largest, peak);
  return largest / 8;
}

MatmulFit fitOf(const DeviceType &device, ElementType type) {
  for (const char *name : namesOf(type)) {
    auto found = device.matmulFits.find(name);
    if (found != device.matmulFits.end())
      return found->second;
  }
  MatmulFit plain;
  plain.peakShare = device.matmulEfficiency;
  plain.memoryShare = device.memoryEfficiency;
  plain.baseSeconds = double(device.launch.count()) * 1e-9;
  return plain;
}

bool isAligned(int64_t size) { return size % 64 == 0; }

} // namespace

KernelTimes::KernelTimes(const DeviceType &device, const StackProfile &profile)
    : described(&device), stack(&profile) {}

Nanoseconds KernelTimes::matmul(int64_t batch, int64_t m, int64_t n, int64_t k,
                                ElementType type) const {
  if (batch <= 0 || m <= 0 || n <= 0 || k <= 0)
    return Nanoseconds(0);
  MatmulFit fit = fitOf(*described, type);
  double rate =
      peakOf(*described, type) * fit.peakShare * trainingRate(*stack, type);
  if (described->kind == "gpu" && !(isAligned(n) && isAligned(k)))
    rate *= stack->misalignedRate;
  // A batch fills the device as more rows would.
  double rows = double(batch) * double(m);
  double arithmetic =
      2 * rows * double(n) * double(k) *
      (1 + fit.rows / rows + fit.columns / double(n) + fit.depth / double(k)) /
      rate;
  double elements = rows * double(k) + double(batch) * double(k) * double(n) +
                    rows * double(n);
  double memory =
      elements * bytesOf(type) / (described->bytesPerSecond * fit.memoryShare);
  return cost::roundUp(fit.baseSeconds +
                       cost::smoothMaximum(arithmetic, memory, fit.power));
}

Nanoseconds KernelTimes::groupedMatmul(int64_t experts, int64_t tokens,
                                       int64_t n, int64_t k,
                                       ElementType type) const {
  if (experts <= 0 || tokens <= 0 || n <= 0 || k <= 0)
    return Nanoseconds(0);
  MatmulFit fit = fitOf(*described, type);
  double rate =
      peakOf(*described, type) * fit.peakShare * trainingRate(*stack, type);
  // tokens · (1 + half / (tokens per expert))
  double rows = double(tokens) + stack->expertHalfRateTokens * double(experts);
  double arithmetic = 2 * rows * double(n) * double(k) / rate;
  double elements = double(experts) * double(n) * double(k) +
                    double(tokens) * (double(n) + double(k));
  double memory =
      elements * bytesOf(type) / (described->bytesPerSecond * fit.memoryShare);
  return cost::roundUp(fit.baseSeconds +
                       cost::smoothMaximum(arithmetic, memory, fit.power));
}

namespace {

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

/// For devices without fits: the share of large products, reached slowly.
AttentionFit plainFit(const DeviceType &device, int64_t headSize, double peak) {
  AttentionFit fit;
  fit.headSize = headSize;
  fit.flopsPerSecond = peak * 0.8 * device.matmulEfficiency;
  fit.halfRateLength = device.kind == "gpu" ? 500 : 0;
  fit.memoryShare = device.memoryEfficiency;
  fit.baseSeconds = double(device.launch.count()) * 1e-9;
  return fit;
}

/// One pass of fused attention: `work` times the operations of the forward
/// pass at `rate` of the device's forward rate. Heads are padded to a size
/// that the device has a kernel for; the fastest such kernel is taken.
double fusedSeconds(const DeviceType &device,
                    const KernelTimes::AttentionSize &size, ElementType type,
                    double work, double rate) {
  AttentionWork all = workOf(size, bytesOf(type));
  double headSize = double(size.headSize + size.valueSize) / 2;
  // Between queries and keys where the two differ.
  double length =
      std::max(1.0, std::sqrt(double(size.queries) * double(size.keys)));
  double rows =
      std::max(1.0, double(size.sequences) * double(size.queryHeads) * length);
  double peak = peakOf(device, type);
  auto secondsWith = [&](const AttentionFit &fit) {
    double padding = std::max(1.0, double(fit.headSize) / headSize);
    double arithmetic =
        work * padding * all.needed *
        (1 + fit.halfRateLength / length + fit.halfRateRows / rows) /
        (std::min(fit.flopsPerSecond, peak) * rate);
    double memory =
        work * all.operands / (device.bytesPerSecond * fit.memoryShare);
    return fit.baseSeconds + cost::smoothMaximum(arithmetic, memory, 4);
  };
  if (device.attentionFits.empty())
    return secondsWith(plainFit(device, int64_t(headSize), peak));
  double best = secondsWith(device.attentionFits.back());
  for (const AttentionFit &fit : device.attentionFits)
    if (double(fit.headSize) >= headSize)
      best = std::min(best, secondsWith(fit));
  return best;
}

/// Attention of separate kernels: products over the whole square, and passes
/// over its scores.
double unfusedSeconds(const DeviceType &device, const StackProfile &stack,
                      const KernelTimes::AttentionSize &size, ElementType type,
                      double work) {
  AttentionWork all = workOf(size, bytesOf(type));
  double products =
      all.square / (peakOf(device, type) * stack.unfusedAttentionRate);
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
  return cost::roundUp(
      fusedSeconds(*described, size, type, 1, stack->attentionForwardRate));
}

Nanoseconds KernelTimes::attentionBackward(const AttentionSize &size,
                                           ElementType type) const {
  // Two products for each of the forward pass, and fused kernels compute the
  // scores again.
  if (!stack->fusedAttention)
    return cost::roundUp(unfusedSeconds(*described, *stack, size, type, 2));
  return cost::roundUp(
      fusedSeconds(*described, size, type, 2.5, stack->attentionBackwardRate));
}

Nanoseconds KernelTimes::memoryBound(Bytes bytes) const {
  if (bytes.count() <= 0)
    return Nanoseconds(0);
  if (bytes.isSaturated())
    return Nanoseconds::saturated();
  return cost::roundUp(double(bytes.count()) / (described->bytesPerSecond *
                                                described->memoryEfficiency)) +
         described->launch;
}

Nanoseconds KernelTimes::launch() const { return described->launch; }

Nanoseconds KernelTimes::layerFloor() const {
  return cost::roundUp(stack->layerForwardMicroseconds * 1e-6);
}

} // namespace shardsmith
