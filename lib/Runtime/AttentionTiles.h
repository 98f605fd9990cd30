// SPDX-License-Identifier: Apache-2.0
//
// What attention does with one tile of scores, row-major and contiguous.

#ifndef SHARDSMITH_LIB_RUNTIME_ATTENTIONTILES_H
#define SHARDSMITH_LIB_RUNTIME_ATTENTIONTILES_H

#include <cstdint>

namespace shardsmith::runtime {

/// The softmax of one row of queries so far: over the keys of the tiles seen,
/// `sum` is that of exp(score − maximum).
struct RunningRow {
  float maximum, sum;
};

/// Turns a row of scores into exp(score − maximum), takes it into `row`, and
/// returns the factor for what was added up before under the old maximum.
float takeScores(float *scores, int64_t count, RunningRow &row);

/// scores[i] becomes exp(scores[i] − logSumExp).
void toProbabilities(float *scores, int64_t count, float logSumExp);

/// gradients[i] becomes probabilities[i] · (gradients[i] − mean).
void toScoreGradients(float *gradients, const float *probabilities,
                      int64_t count, float mean);

/// scores[i] += bias[i · stride].
void addBias(float *scores, int64_t count, const float *bias, int64_t stride);

void scaleRow(float *row, int64_t count, float factor);

float dotOfRows(const float *a, const float *b, int64_t count);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_ATTENTIONTILES_H
