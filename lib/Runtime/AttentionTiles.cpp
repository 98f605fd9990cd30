// SPDX-License-Identifier: Apache-2.0

#include "AttentionTiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHARDSMITH_SANITIZED
#endif
#endif

// Programs choose the widest vectors that their processor has. (Sanitizers are
// not up yet when the choice is made.)
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !defined(SHARDSMITH_SANITIZED)
#define SHARDSMITH_WIDEST                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SHARDSMITH_WIDEST
#endif

namespace shardsmith::runtime {
namespace {

/// Sums and maxima have this many parts, combined in a fixed order, so that
/// they are vectors whatever the processor's are.
constexpr int64_t lanes = 16;

/// exp(x) for x ≤ 0, zero below the smallest normal number; NaN stays NaN.
/// 2ⁿ · exp(r) with |r| ≤ log(2)/2, where Taylor's polynomial of degree 7 is
/// exact to 1e-8 of the result.
inline __attribute__((always_inline)) float exponentialOf(float x) {
  constexpr float log2e = 1.44269504f;
  // log(2) in two parts, the first with few bits, so that n · high is exact.
  constexpr float high = 0.693359375f, low = -2.12194440e-4f;
  // Adding this number rounds to the integers, which end up in the low bits.
  constexpr float rounder = 12582912.0f; // 1.5 · 2²³
  float bounded = x < -87.0f ? -87.0f : x;
  float shifted = bounded * log2e + rounder;
  float n = shifted - rounder;
  float r = (bounded - n * high) - n * low;
  float power = 1.0f / 5040;
  power = power * r + 1.0f / 720;
  power = power * r + 1.0f / 120;
  power = power * r + 1.0f / 24;
  power = power * r + 1.0f / 6;
  power = power * r + 0.5f;
  power = power * r + 1.0f;
  power = power * r + 1.0f;
  uint32_t exponent = (std::bit_cast<uint32_t>(shifted) << 23) + (127u << 23);
  float result = power * std::bit_cast<float>(exponent);
  return x < -87.0f ? 0.0f : result;
}

inline __attribute__((always_inline)) float greatestOf(const float *row,
                                                       int64_t count) {
  float parts[lanes];
  std::fill(parts, parts + lanes, -std::numeric_limits<float>::infinity());
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      parts[lane] = row[i + lane] > parts[lane] ? row[i + lane] : parts[lane];
  float greatest = parts[0];
  for (float part : parts)
    greatest = std::max(greatest, part);
  for (; i < count; ++i)
    greatest = std::max(greatest, row[i]);
  return greatest;
}

} // namespace

SHARDSMITH_WIDEST
float takeScores(float *scores, int64_t count, RunningRow &row) {
  float maximum = std::max(row.maximum, greatestOf(scores, count));
  // Where every key so far is hidden, the exponentials are zeros, not NaN.
  float shift =
      maximum == -std::numeric_limits<float>::infinity() ? 0.0f : maximum;
  float factor = exponentialOf(row.maximum - shift);
  float parts[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float value = exponentialOf(scores[i + lane] - shift);
      scores[i + lane] = value;
      parts[lane] += value;
    }
  float sum = 0;
  for (; i < count; ++i)
    sum += scores[i] = exponentialOf(scores[i] - shift);
  for (float part : parts)
    sum += part;
  row.maximum = maximum;
  row.sum = row.sum * factor + sum;
  return factor;
}

SHARDSMITH_WIDEST
void toProbabilities(float *scores, int64_t count, float logSumExp) {
  for (int64_t i = 0; i < count; ++i)
    scores[i] = exponentialOf(scores[i] - logSumExp);
}

SHARDSMITH_WIDEST
void toScoreGradients(float *gradients, const float *probabilities,
                      int64_t count, float mean) {
  for (int64_t i = 0; i < count; ++i)
    gradients[i] = probabilities[i] * (gradients[i] - mean);
}

SHARDSMITH_WIDEST
void addBias(float *scores, int64_t count, const float *bias, int64_t stride) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i)
      scores[i] += bias[i];
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    scores[i] += bias[i * stride];
}

SHARDSMITH_WIDEST
void scaleRow(float *row, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

SHARDSMITH_WIDEST
float dotOfRows(const float *a, const float *b, int64_t count) {
  float parts[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      parts[lane] += a[i + lane] * b[i + lane];
  float sum = 0;
  for (; i < count; ++i)
    sum += a[i] * b[i];
  for (float part : parts)
    sum += part;
  return sum;
}

} // namespace shardsmith::runtime
