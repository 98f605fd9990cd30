// SPDX-License-Identifier: Apache-2.0
//
// Forward, for a tile of queries, over the tiles of keys:
//
//     s = q kᵀ + bias        m' = max(m, max s)       p = exp(s − m')
//     l = l · exp(m − m') + Σ p                       o = o · exp(m − m') + p v
//
// and at the end o / l and m + log l. Backward p is computed again from the
// latter, so a tile depends on no other. Of causal attention only tiles with a
// key that some query sees are computed.
//
// Backward there are two ways to deal out work. With enough samples and heads a
// thread takes all of one. Otherwise threads first take tiles of keys, for the
// gradients of keys and values, and then tiles of queries, for those of
// queries; scores are then computed twice.

#include "shardsmith/Runtime/Attention.h"

#include "AttentionTiles.h"
#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include <oneapi/dnnl/dnnl.h>

namespace shardsmith::runtime {
namespace {

/// A tile of scores, its operands and its gradient stay in the second-level
/// cache.
constexpr int64_t tileQueries = 128, tileKeys = 256;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Consecutive rows of an array, as f32: the array's own if it has that type,
/// else a copy.
class Rows {
public:
  const float *read(smith_dtype type, const void *data, int64_t firstRow,
                    int64_t rows, int64_t size) {
    if (type == SMITH_F32)
      return static_cast<const float *>(data) + firstRow * size;
    copy.resize(size_t(rows * size));
    convertElements(type, data, firstRow * size, SMITH_F32, copy.data(), 0,
                    rows * size);
    return copy.data();
  }

private:
  std::vector<float> copy;
};

void write(smith_dtype type, void *data, int64_t firstRow, int64_t rows,
           int64_t size, const float *from) {
  convertElements(SMITH_F32, from, 0, type, data, firstRow * size, rows * size);
}

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

Range tileAt(int64_t number, int64_t tile, int64_t positions) {
  return {number * tile, std::min((number + 1) * tile, positions)};
}

/// One attention, and what its tiles have in common.
class Attention {
public:
  Attention(const smith_attention &shape, const AttentionInputs &inputs)
      : shape(shape), inputs(inputs) {
    for (int32_t dim = 0; dim < shape.batch_count; ++dim)
      batches *= shape.batch[dim];
  }

  int64_t heads() const { return batches * shape.groups; }
  int64_t queryTiles() const { return ceilDivide(shape.queries, tileQueries); }
  int64_t keyTiles() const { return ceilDivide(shape.keys, tileKeys); }
  Range queryTile(int64_t number) const {
    return tileAt(number, tileQueries, shape.queries);
  }
  Range keyTile(int64_t number) const {
    return tileAt(number, tileKeys, shape.keys);
  }
  /// Whether some query sees some key.
  bool meet(Range queries, Range keys) const {
    return !shape.causal || keys.begin < queries.end;
  }

  /// c = a · b or c += a · b, row-major; `a` is m × k, or k × m if transposed.
  void multiply(bool transposeA, bool transposeB, int64_t m, int64_t n,
                int64_t k, const float *a, const float *b, float *c,
                bool adds) const {
    // Threads must not throw.
    if (dnnl_sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k,
                   1.0f, a, transposeA ? m : k, b, transposeB ? k : n,
                   adds ? 1.0f : 0.0f, c, n) != dnnl_success)
      isRefused = true;
  }
  /// Behind the work of the threads.
  void throwIfRefused() const {
    if (isRefused)
      fail(ExitCode::Unsupported,
           "attention of {} queries and {} keys of size {}: oneDNN refuses its "
           "products",
           shape.queries, shape.keys, shape.key_size);
  }

  /// Scores of a tile; `q` is scaled, and of the head whose keys are `k`.
  void score(int64_t head, Range queries, Range keys, const float *q,
             const float *k, float *scores) const {
    multiply(false, true, queries.size(), keys.size(), shape.key_size, q, k,
             scores, /*adds=*/false);
    for (int64_t query = queries.begin; query < queries.end; ++query) {
      float *row = scores + (query - queries.begin) * keys.size();
      if (inputs.bias)
        addBias(row, keys.size(),
                biasOf(head) + query * shape.bias_query_stride +
                    keys.begin * shape.bias_key_stride,
                shape.bias_key_stride);
      if (shape.causal && query + 1 < keys.end)
        std::fill(row + std::max<int64_t>(query + 1 - keys.begin, 0),
                  row + keys.size(), -infinity);
    }
  }

  const smith_attention &shape;
  const AttentionInputs &inputs;
  int64_t batches = 1;

private:
  mutable std::atomic<bool> isRefused = false;

  const float *biasOf(int64_t head) const {
    int64_t offset = head % shape.groups * shape.bias_group_stride;
    int64_t rest = head / shape.groups;
    for (int32_t dim = shape.batch_count; dim-- > 0;) {
      offset += rest % shape.batch[dim] * shape.bias_batch_stride[dim];
      rest /= shape.batch[dim];
    }
    return inputs.bias + offset;
  }
};

/// Memory of one thread for the forward pass.
class ForwardTiles {
public:
  explicit ForwardTiles(const Attention &attention)
      : attention(attention), shape(attention.shape),
        scaled(size_t(tileQueries * shape.key_size)),
        sums(size_t(tileQueries * shape.value_size)),
        scores(size_t(tileQueries * tileKeys)), running(size_t(tileQueries)) {}

  void run(int64_t head, Range queries, void *output, float *logSumExp) {
    int64_t firstRow = head * shape.queries + queries.begin;
    int64_t firstKey = head / shape.groups * shape.keys;
    const float *q = queryRows.read(shape.query_dtype, attention.inputs.query,
                                    firstRow, queries.size(), shape.key_size);
    std::copy(q, q + queries.size() * shape.key_size, scaled.begin());
    scaleRow(scaled.data(), queries.size() * shape.key_size, shape.scale);
    std::fill(sums.begin(), sums.end(), 0.0f);
    std::fill(running.begin(), running.end(), RunningRow{-infinity, 0});
    for (int64_t number = 0; number < attention.keyTiles(); ++number) {
      Range keys = attention.keyTile(number);
      if (!attention.meet(queries, keys))
        break;
      const float *k =
          keyRows.read(shape.key_dtype, attention.inputs.key,
                       firstKey + keys.begin, keys.size(), shape.key_size);
      const float *v =
          valueRows.read(shape.value_dtype, attention.inputs.value,
                         firstKey + keys.begin, keys.size(), shape.value_size);
      attention.score(head, queries, keys, scaled.data(), k, scores.data());
      for (int64_t row = 0; row < queries.size(); ++row) {
        float factor = takeScores(scores.data() + row * keys.size(),
                                  keys.size(), running[size_t(row)]);
        scaleRow(sums.data() + row * shape.value_size, shape.value_size,
                 factor);
      }
      attention.multiply(false, false, queries.size(), shape.value_size,
                         keys.size(), scores.data(), v, sums.data(),
                         /*adds=*/true);
    }
    for (int64_t row = 0; row < queries.size(); ++row) {
      // A row without keys has the sum zero, and so becomes NaN.
      float *sum = sums.data() + row * shape.value_size;
      for (int64_t column = 0; column < shape.value_size; ++column)
        sum[column] /= running[size_t(row)].sum;
      logSumExp[firstRow + row] =
          running[size_t(row)].maximum + std::log(running[size_t(row)].sum);
    }
    write(shape.output_dtype, output, firstRow, queries.size(),
          shape.value_size, sums.data());
  }

private:
  const Attention &attention;
  const smith_attention &shape;
  std::vector<float> scaled, sums, scores;
  std::vector<RunningRow> running;
  Rows queryRows, keyRows, valueRows;
};

/// Memory of one thread for the backward pass.
class BackwardTiles {
public:
  BackwardTiles(const Attention &attention, const AttentionOutputs &outputs,
                const AttentionGradients &gradients)
      : attention(attention), shape(attention.shape), outputs(outputs),
        gradients(gradients), scaled(size_t(tileQueries * shape.key_size)),
        scores(size_t(tileQueries * tileKeys)),
        scoreGradients(size_t(tileQueries * tileKeys)),
        means(size_t(tileQueries)) {}

  /// The gradients of a tile of keys of one batch, from all queries; and, added
  /// to `queryGradients` [groups, queries, key_size], what they contribute to
  /// those of queries, if it is not null.
  void runKeys(int64_t batch, Range keys, float *queryGradients) {
    keySums.assign(size_t(keys.size() * shape.key_size), 0.0f);
    valueSums.assign(size_t(keys.size() * shape.value_size), 0.0f);
    loadKeys(batch, keys);
    for (int64_t group = 0; group < shape.groups; ++group)
      for (int64_t number = 0; number < attention.queryTiles(); ++number) {
        Range queries = attention.queryTile(number);
        if (!attention.meet(queries, keys))
          continue;
        loadQueries(batch * shape.groups + group, queries);
        computeTile(batch * shape.groups + group, queries, keys);
        attention.multiply(true, false, keys.size(), shape.value_size,
                           queries.size(), scores.data(), cotangent,
                           valueSums.data(), /*adds=*/true);
        attention.multiply(true, false, keys.size(), shape.key_size,
                           queries.size(), scoreGradients.data(), scaled.data(),
                           keySums.data(),
                           /*adds=*/true);
        if (queryGradients)
          attention.multiply(false, false, queries.size(), shape.key_size,
                             keys.size(), scoreGradients.data(), k,
                             queryGradients +
                                 (group * shape.queries + queries.begin) *
                                     shape.key_size,
                             /*adds=*/true);
      }
    int64_t firstRow = batch * shape.keys + keys.begin;
    write(shape.key_dtype, gradients.key, firstRow, keys.size(), shape.key_size,
          keySums.data());
    write(shape.value_dtype, gradients.value, firstRow, keys.size(),
          shape.value_size, valueSums.data());
  }

  /// The gradients of a tile of queries, from all keys.
  void runQueries(int64_t head, Range queries) {
    querySums.assign(size_t(queries.size() * shape.key_size), 0.0f);
    loadQueries(head, queries);
    for (int64_t number = 0; number < attention.keyTiles(); ++number) {
      Range keys = attention.keyTile(number);
      if (!attention.meet(queries, keys))
        break;
      loadKeys(head / shape.groups, keys);
      computeTile(head, queries, keys);
      attention.multiply(false, false, queries.size(), shape.key_size,
                         keys.size(), scoreGradients.data(), k,
                         querySums.data(), /*adds=*/true);
    }
    writeQueries(head * shape.queries + queries.begin, queries.size(),
                 querySums.data());
  }

  /// All gradients of one batch.
  void runBatch(int64_t batch) {
    int64_t rows = shape.groups * shape.queries;
    allQueries.assign(size_t(rows * shape.key_size), 0.0f);
    for (int64_t number = 0; number < attention.keyTiles(); ++number)
      runKeys(batch, attention.keyTile(number), allQueries.data());
    writeQueries(batch * rows, rows, allQueries.data());
  }

private:
  void loadKeys(int64_t batch, Range keys) {
    int64_t firstRow = batch * shape.keys + keys.begin;
    k = keyRows.read(shape.key_dtype, attention.inputs.key, firstRow,
                     keys.size(), shape.key_size);
    v = valueRows.read(shape.value_dtype, attention.inputs.value, firstRow,
                       keys.size(), shape.value_size);
  }

  void loadQueries(int64_t head, Range queries) {
    int64_t firstRow = head * shape.queries + queries.begin;
    const float *q = queryRows.read(shape.query_dtype, attention.inputs.query,
                                    firstRow, queries.size(), shape.key_size);
    std::copy(q, q + queries.size() * shape.key_size, scaled.begin());
    scaleRow(scaled.data(), queries.size() * shape.key_size, shape.scale);
    cotangent = cotangentRows.read(shape.cotangent_dtype, outputs.cotangent,
                                   firstRow, queries.size(), shape.value_size);
    const float *output =
        outputRows.read(shape.output_dtype, outputs.output, firstRow,
                        queries.size(), shape.value_size);
    for (int64_t row = 0; row < queries.size(); ++row)
      means[size_t(row)] =
          dotOfRows(output + row * shape.value_size,
                    cotangent + row * shape.value_size, shape.value_size);
  }

  /// Probabilities in `scores`, and their gradients before the softmax.
  void computeTile(int64_t head, Range queries, Range keys) {
    attention.score(head, queries, keys, scaled.data(), k, scores.data());
    attention.multiply(false, true, queries.size(), keys.size(),
                       shape.value_size, cotangent, v, scoreGradients.data(),
                       /*adds=*/false);
    const float *logSumExp =
        outputs.logSumExp + head * shape.queries + queries.begin;
    for (int64_t row = 0; row < queries.size(); ++row) {
      float *probabilities = scores.data() + row * keys.size();
      toProbabilities(probabilities, keys.size(), logSumExp[row]);
      toScoreGradients(scoreGradients.data() + row * keys.size(), probabilities,
                       keys.size(), means[size_t(row)]);
    }
  }

  void writeQueries(int64_t firstRow, int64_t rows, float *sums) {
    scaleRow(sums, rows * shape.key_size, shape.scale);
    write(shape.query_dtype, gradients.query, firstRow, rows, shape.key_size,
          sums);
  }

  const Attention &attention;
  const smith_attention &shape;
  const AttentionOutputs &outputs;
  const AttentionGradients &gradients;
  std::vector<float> scaled, scores, scoreGradients, means;
  std::vector<float> keySums, valueSums, querySums, allQueries;
  Rows queryRows, keyRows, valueRows, cotangentRows, outputRows;
  const float *k = nullptr, *v = nullptr, *cotangent = nullptr;
};

} // namespace

void attend(const smith_attention &shape, const AttentionInputs &inputs,
            void *output, float *logSumExp, const ThreadTeam &team) {
  Attention attention(shape, inputs);
  int64_t tiles = attention.queryTiles();
  team.parallelFor(
      attention.heads() * tiles, 1, [&](int64_t begin, int64_t end) {
        ForwardTiles thread(attention);
        for (int64_t task = begin; task < end; ++task)
          thread.run(task / tiles, attention.queryTile(task % tiles), output,
                     logSumExp);
      });
  attention.throwIfRefused();
}

void attendGradient(const smith_attention &shape, const AttentionInputs &inputs,
                    const AttentionOutputs &outputs,
                    const AttentionGradients &gradients,
                    const ThreadTeam &team) {
  Attention attention(shape, inputs);
  auto forAll = [&](int64_t tasks, auto run) {
    team.parallelFor(tasks, 1, [&](int64_t begin, int64_t end) {
      BackwardTiles thread(attention, outputs, gradients);
      for (int64_t task = begin; task < end; ++task)
        run(thread, task);
    });
  };
  if (attention.batches >= team.threads()) {
    forAll(attention.batches, [](BackwardTiles &thread, int64_t batch) {
      thread.runBatch(batch);
    });
    return attention.throwIfRefused();
  }
  int64_t keyTiles = attention.keyTiles(), queryTiles = attention.queryTiles();
  forAll(attention.batches * keyTiles,
         [&](BackwardTiles &thread, int64_t task) {
           thread.runKeys(task / keyTiles, attention.keyTile(task % keyTiles),
                          nullptr);
         });
  forAll(attention.heads() * queryTiles,
         [&](BackwardTiles &thread, int64_t task) {
           thread.runQueries(task / queryTiles,
                             attention.queryTile(task % queryTiles));
         });
  attention.throwIfRefused();
}

} // namespace shardsmith::runtime
