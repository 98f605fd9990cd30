// SPDX-License-Identifier: Apache-2.0
//
// Forward, for a tile of queries, over the tiles of keys:
//
//     s = q kᵀ + bias        m' = max(m, max s)       p = exp(s − m')
//     l = l · exp(m − m') + Σ p                       o = o · exp(m − m') + p v
//
// and at the end o / l and m + log l. With what earlier steps of a ring have
// made, m begins as their log-sum-exp, l as 1 and o as their output. Backward p
// is computed again from the log-sum-exp, so a tile depends on no other. Of
// causal attention only tiles with a key that some query sees are computed.
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

/// Rows (of queries, or of keys) and their positions in the sequence, which
/// ascend: one run of neighbours, or in zigzag two runs of half the rows each.
///
///     row        0 1 2 | 3 4 5           first = 3, of 24 positions
///     position   3 4 5 | 18 19 20
///
/// No tile has rows of both runs.
class Run {
public:
  Run(int64_t rows, int64_t tile, int64_t first, int64_t end, bool isZigzag)
      : tile(tile), runLength(isZigzag ? rows / 2 : rows), rows(rows),
        offset{first, isZigzag ? end - first - rows : first},
        inSequence(std::clamp<int64_t>(end - first, 0, rows)) {
    if (isZigzag)
      inSequence = rows;
  }

  int64_t tiles() const { return runs() * tilesPerRun(); }
  Range tileAt(int64_t number) const {
    int64_t run = number < tilesPerRun() ? 0 : 1;
    int64_t begin = run * runLength + (number - run * tilesPerRun()) * tile;
    return {begin, std::min(begin + tile, (run + 1) * runLength)};
  }
  /// What of a tile is in the sequence.
  Range inside(Range rows) const {
    return {rows.begin, std::clamp(inSequence, rows.begin, rows.end)};
  }
  /// The position of a row less the row, which a tile's rows have in common.
  int64_t offsetOf(Range rows) const {
    return offset[rows.begin < runLength ? 0 : 1];
  }

private:
  int64_t runs() const { return runLength == rows ? 1 : 2; }
  int64_t tilesPerRun() const { return ceilDivide(runLength, tile); }

  int64_t tile, runLength, rows, offset[2], inSequence;
};

/// One attention, and what its tiles have in common.
class Attention {
public:
  Attention(const smith_attention &shape, const AttentionInputs &inputs)
      : shape(shape), inputs(inputs),
        queryRun(shape.queries, tileQueries, inputs.place.firstQuery,
                 inputs.place.end, shape.zigzag != 0),
        keyRun(shape.keys, tileKeys, inputs.place.firstKey, inputs.place.end,
               shape.zigzag != 0) {
    for (int32_t dim = 0; dim < shape.batch_count; ++dim)
      batches *= shape.batch[dim];
  }

  int64_t heads() const { return batches * shape.groups; }
  int64_t queryTiles() const { return queryRun.tiles(); }
  int64_t keyTiles() const { return keyRun.tiles(); }
  Range queryTile(int64_t number) const { return queryRun.tileAt(number); }
  Range keyTile(int64_t number) const { return keyRun.tileAt(number); }
  /// What of a tile is in the sequence.
  Range queriesIn(Range tile) const { return queryRun.inside(tile); }
  Range keysIn(Range tile) const { return keyRun.inside(tile); }
  /// Whether some query sees some key. If not, no later tile of keys does.
  bool meet(Range queries, Range keys) const {
    return queries.size() > 0 && keys.size() > 0 &&
           (!shape.causal || keys.begin < queries.end + ahead(queries, keys));
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
      int64_t firstHidden = query + ahead(queries, keys) + 1;
      if (shape.causal && firstHidden < keys.end)
        std::fill(row + std::max<int64_t>(firstHidden - keys.begin, 0),
                  row + keys.size(), -infinity);
    }
  }

  const smith_attention &shape;
  const AttentionInputs &inputs;
  int64_t batches = 1;

private:
  /// By how many positions a query of a tile is behind the key of the same row.
  int64_t ahead(Range queries, Range keys) const {
    return queryRun.offsetOf(queries) - keyRun.offsetOf(keys);
  }

  Run queryRun, keyRun;
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
  ForwardTiles(const Attention &attention, const AttentionBefore &before)
      : attention(attention), shape(attention.shape), before(before),
        scaled(size_t(tileQueries * shape.key_size)),
        sums(size_t(tileQueries * shape.value_size)),
        scores(size_t(tileQueries * tileKeys)), running(size_t(tileQueries)) {}

  void run(int64_t head, Range tile, void *output, float *logSumExp) {
    Range queries = attention.queriesIn(tile);
    int64_t firstRow = head * shape.queries + queries.begin;
    int64_t firstKey = head / shape.groups * shape.keys;
    const float *q = queryRows.read(shape.query_dtype, attention.inputs.query,
                                    firstRow, queries.size(), shape.key_size);
    std::copy(q, q + queries.size() * shape.key_size, scaled.begin());
    scaleRow(scaled.data(), queries.size() * shape.key_size, shape.scale);
    std::fill(sums.begin(), sums.end(), 0.0f);
    std::fill(running.begin(), running.end(), RunningRow{-infinity, 0});
    if (before.output)
      takeBefore(firstRow, queries.size());
    for (int64_t number = 0; number < attention.keyTiles(); ++number) {
      Range keys = attention.keysIn(attention.keyTile(number));
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
    std::fill(logSumExp + firstRow + queries.size(),
              logSumExp + firstRow + tile.size(), 0.0f);
    std::fill(sums.begin() + queries.size() * shape.value_size, sums.end(),
              0.0f);
    write(shape.output_dtype, output, firstRow, tile.size(), shape.value_size,
          sums.data());
  }

private:
  void takeBefore(int64_t firstRow, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      float logSumExp = before.logSumExp[firstRow + row];
      // Without any key the output is no number.
      if (logSumExp == -infinity)
        continue;
      running[size_t(row)] = {logSumExp, 1};
      std::copy_n(before.output + (firstRow + row) * shape.value_size,
                  shape.value_size, sums.begin() + row * shape.value_size);
    }
  }

  const Attention &attention;
  const smith_attention &shape;
  const AttentionBefore &before;
  std::vector<float> scaled, sums, scores;
  std::vector<RunningRow> running;
  Rows queryRows, keyRows, valueRows;
};

/// Memory of one thread for the backward pass.
class BackwardTiles {
public:
  BackwardTiles(const Attention &attention, const AttentionOutputs &outputs,
                const AttentionGradients &gradients,
                const AttentionGradientsBefore &before)
      : attention(attention), shape(attention.shape), outputs(outputs),
        gradients(gradients), before(before),
        scaled(size_t(tileQueries * shape.key_size)),
        scores(size_t(tileQueries * tileKeys)),
        scoreGradients(size_t(tileQueries * tileKeys)),
        means(size_t(tileQueries)) {}

  /// The gradients of a tile of keys of one batch, from all queries; and, added
  /// to `queryGradients` [groups, queries, key_size], what they contribute to
  /// those of queries, if it is not null.
  void runKeys(int64_t batch, Range tile, float *queryGradients) {
    Range keys = attention.keysIn(tile);
    int64_t firstRow = batch * shape.keys + keys.begin;
    start(keySums, before.key, firstRow, keys.size(), tile.size(),
          shape.key_size);
    start(valueSums, before.value, firstRow, keys.size(), tile.size(),
          shape.value_size);
    loadKeys(batch, keys);
    for (int64_t group = 0; group < shape.groups; ++group)
      for (int64_t number = 0; number < attention.queryTiles(); ++number) {
        Range queries = attention.queriesIn(attention.queryTile(number));
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
    write(shape.key_gradient_dtype, gradients.key, firstRow, tile.size(),
          shape.key_size, keySums.data());
    write(shape.value_gradient_dtype, gradients.value, firstRow, tile.size(),
          shape.value_size, valueSums.data());
  }

  /// The gradients of a tile of queries, from all keys.
  void runQueries(int64_t head, Range tile) {
    Range queries = attention.queriesIn(tile);
    querySums.assign(size_t(tile.size() * shape.key_size), 0.0f);
    loadQueries(head, queries);
    for (int64_t number = 0; number < attention.keyTiles(); ++number) {
      Range keys = attention.keysIn(attention.keyTile(number));
      if (!attention.meet(queries, keys))
        break;
      loadKeys(head / shape.groups, keys);
      computeTile(head, queries, keys);
      attention.multiply(false, false, queries.size(), shape.key_size,
                         keys.size(), scoreGradients.data(), k,
                         querySums.data(), /*adds=*/true);
    }
    writeQueries(head * shape.queries + queries.begin, tile.size(),
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
  /// Makes `sums` of a tile's `rows` rows, of which the first `inSequence`
  /// begin as what earlier steps have made.
  static void start(std::vector<float> &sums, const float *before,
                    int64_t firstRow, int64_t inSequence, int64_t rows,
                    int64_t size) {
    sums.assign(size_t(rows * size), 0.0f);
    if (before)
      std::copy_n(before + firstRow * size, inSequence * size, sums.begin());
  }

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
    if (before.query)
      addBias(sums, rows * shape.key_size,
              before.query + firstRow * shape.key_size, 1);
    write(shape.query_gradient_dtype, gradients.query, firstRow, rows,
          shape.key_size, sums);
  }

  const Attention &attention;
  const smith_attention &shape;
  const AttentionOutputs &outputs;
  const AttentionGradients &gradients;
  const AttentionGradientsBefore &before;
  std::vector<float> scaled, scores, scoreGradients, means;
  std::vector<float> keySums, valueSums, querySums, allQueries;
  Rows queryRows, keyRows, valueRows, cotangentRows, outputRows;
  const float *k = nullptr, *v = nullptr, *cotangent = nullptr;
};

} // namespace

void attend(const smith_attention &shape, const AttentionInputs &inputs,
            void *output, float *logSumExp, const ThreadTeam &team,
            const AttentionBefore &before) {
  Attention attention(shape, inputs);
  int64_t tiles = attention.queryTiles();
  team.parallelFor(
      attention.heads() * tiles, 1, [&](int64_t begin, int64_t end) {
        ForwardTiles thread(attention, before);
        for (int64_t task = begin; task < end; ++task)
          thread.run(task / tiles, attention.queryTile(task % tiles), output,
                     logSumExp);
      });
  attention.throwIfRefused();
}

void attendGradient(const smith_attention &shape, const AttentionInputs &inputs,
                    const AttentionOutputs &outputs,
                    const AttentionGradients &gradients, const ThreadTeam &team,
                    const AttentionGradientsBefore &before) {
  Attention attention(shape, inputs);
  auto forAll = [&](int64_t tasks, auto run) {
    team.parallelFor(tasks, 1, [&](int64_t begin, int64_t end) {
      BackwardTiles thread(attention, outputs, gradients, before);
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
