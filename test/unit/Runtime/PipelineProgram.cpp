// SPDX-License-Identifier: Apache-2.0
//
// A pipeline as the compiler would emit it, written by hand: two layers on two
// stages, two micro-batches, samples split over "data". The vector s is on
// both stages.
//
//   h = x · w1 + s          first stage     x [8, 6], w1 [6, 4], s [4]
//   y = h · w2 + s          last stage      w2 [4, 4]
//   loss = mean((y − 0.1 · tokens)²)
//
//   first stage   F0 F1             B0 B1      s, loss
//   last stage       F0 B0 F1 B1                s, loss
//
// Compiled for one rank, which is both stages, and for two times two.
// PIPELINE_ACTION="kill 1 3" ends rank 1 in step 3, between its passes.

#include "shardsmith/Runtime/ABI.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace {

#if RANKS == 1
constexpr int stages = 1, shards = 1;
#define MESH R"([{"name": "data", "size": 1}], "arena_bytes": 1280)"
#define GROUPS "[[0]]"
#define ROWS "8"
/// Where a tensor is: on one rank; on the first of two stages, on the last.
#define AT(alone, ...) R"("offset": )" #alone
#else
constexpr int stages = 2, shards = 2;
// GCC takes no string over several lines in a directive.
#define MESH                                                                   \
  R"([{"name": "data", "size": 2}, {"name": "stage", "size": 2}],)"            \
  R"("arena_bytes": 20000,)"                                                   \
  R"("pipeline": {"axis": "stage", "arena_bytes": [768, 20000]},)"             \
  R"("channels": [{"from": 0, "to": 1, "bytes": 80},)"                         \
  R"({"from": 1, "to": 0, "bytes": 88},)"                                      \
  R"({"from": 2, "to": 3, "bytes": 80},)"                                      \
  R"({"from": 3, "to": 2, "bytes": 88}])"
#define GROUPS "[[0, 2], [1, 3]]"
#define ROWS "4"
#define ON_FIRST(offset) offset, offset, -1
#define ON_LAST(offset) offset, -1, offset
#define ON_BOTH(first, last) first, first, last
#define AT(alone, place) PLACE(place)
#define PLACE(...) PLACE_OF(__VA_ARGS__)
#define PLACE_OF(offset, first, last)                                          \
  R"("offset": )" #offset R"(, "offsets": [)" #first ", " #last "]"
#endif

/// Where tensors lie in the arena of a stage.
struct Places {
  int x, w1, m1, tokens, w2, m2, count, s, ms, loss, norm, y;
};
constexpr Places places[] = {
#if RANKS == 1
    {0, 192, 320, 448, 576, 640, 704, 768, 832, 896, 960, 1024}};
#else
    {0, 128, 256, -1, -1, -1, -1, 384, 448, 512, 576, -1},
    {-1, -1, -1, 0, 64, 128, 192, 16384, 16448, 512, 576, 640}};
#endif

} // namespace

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/// A tensor without its closing brace; dimensions of `local` are of a shard.
#define TENSOR(name, role, type, global, local, sharding, place)               \
  R"({"name": ")" name R"(", "role": ")" role R"(", "dtype": ")" type          \
  R"(", "global_shape": [)" global R"(], "local_shape": [)" local              \
  R"(], "sharding": [)" sharding "], " place
#define WHOLE(name, role, shape, sharding, place)                              \
  TENSOR(name, role, "f32", shape, shape, sharding, place)
#define SAMPLES(name, role, type, width, place)                                \
  TENSOR(name, role, type, "8, " width, ROWS ", " width, R"(["data"], [])",    \
         place)

#define W1 WHOLE("w1", "param", "6, 4", "[], []", AT(192, ON_FIRST(128)))
#define M1 WHOLE("m.w1", "state", "6, 4", "[], []", AT(320, ON_FIRST(256)))
#define W2 WHOLE("w2", "param", "4, 4", "[], []", AT(576, ON_LAST(64)))
#define M2 WHOLE("m.w2", "state", "4, 4", "[], []", AT(640, ON_LAST(128)))
#define COUNT TENSOR("count", "state", "i32", "", "", "", AT(704, ON_LAST(192)))
#define S WHOLE("s", "param", "4", "[]", AT(768, ON_BOTH(384, 16384)))
#define MS WHOLE("m.s", "state", "4", "[]", AT(832, ON_BOTH(448, 16448)))
#define X SAMPLES("batch.x", "batch", "f32", "6", AT(0, ON_FIRST(0)))
#define TOKENS SAMPLES("batch.tokens", "batch", "i32", "4", AT(448, ON_LAST(0)))
#define LOSS WHOLE("loss", "loss", "", "", AT(896, ON_BOTH(512, 512)))
#define NORM WHOLE("aux.norm", "output", "", "", AT(960, ON_BOTH(576, 576)))
#define Y SAMPLES("y", "output", "f32", "4", AT(1024, ON_LAST(640)))

// clang-format off
const char smith_manifest[] = R"({"format": "shardsmith-program/1",
  "model": {"name": "pipeline", "hash": "fedcba9876543210"},
  "plan_hash": "p)" TEXT(RANKS) R"(", "ranks": )" TEXT(RANKS) R"(,
  "mesh": )" MESH R"(,
  "arguments": [
   )" W2 R"(, "init": "normal:0.5"},
   )" W1 R"(, "init": "normal:0.5"},
   )" S R"(, "init": "normal:0.1"},
   )" M2 "}," M1 "}," MS "}," COUNT "}," X "}," TOKENS R"(, "limit": 50}],
  "results": [
   )" W1 R"(, "argument": 1},
   )" W2 R"(, "argument": 0},
   )" S R"(, "argument": 2},
   )" M2 R"(, "argument": 3},
   )" M1 R"(, "argument": 4},
   )" MS R"(, "argument": 5},
   )" COUNT R"(, "argument": 6},
   )" LOSS R"(, "argument": -1},
   )" NORM R"(, "argument": -1},
   )" Y R"(, "argument": -1}],
  "groups": [{"axes": ["data"], "ranks": )" GROUPS R"(}],
  "tokens_per_step": 32})";
// clang-format on

namespace {

constexpr int samples = 8, inputs = 6, width = 4, microBatches = 2;
constexpr int rows = samples / shards / microBatches; // of a micro-batch
constexpr int64_t activationBytes = rows * width * sizeof(float);

int step = 0;

void misbehave(int rank) {
  const char *action = std::getenv("PIPELINE_ACTION");
  int where, when;
  if (action && std::sscanf(action, "kill %d %d", &where, &when) == 2 &&
      where == rank && when == step)
    kill(getpid(), SIGKILL);
}

/// out += a · b for row-major a [rows, k] and b [k, width].
void multiply(const float *a, int k, const float *b, float *out) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < width; ++column)
      for (int i = 0; i < k; ++i)
        out[row * width + column] += a[row * k + i] * b[i * width + column];
}

/// out [k, width] += transposed a [rows, k] · b [rows, width].
void multiplyTransposed(const float *a, int k, const float *b, float *out) {
  for (int i = 0; i < k; ++i)
    for (int column = 0; column < width; ++column)
      for (int row = 0; row < rows; ++row)
        out[i * width + column] += a[row * k + i] * b[row * width + column];
}

void addRows(const float *values, float *sum) {
  for (int i = 0; i < rows * width; ++i)
    sum[i % width] += values[i];
}

void setRows(const float *row, float *values) {
  for (int i = 0; i < rows * width; ++i)
    values[i] = row[i % width];
}

void update(float *w, float *m, const float *gradient, int count) {
  for (int i = 0; i < count; ++i) {
    m[i] = 0.9f * m[i] + gradient[i];
    w[i] -= 0.1f * m[i];
  }
}

/// One step of one rank, by the parts of the model that it has.
class Step {
public:
  Step(smith_context *context, uint8_t *arena)
      : context(context), arena(arena), stage(smith_rank(context) % stages),
        isFirst(stage == 0), isLast(stage == stages - 1) {}

  void run() {
    const Places &at = places[stage];
    if (isFirst)
      for (int micro = 0; micro < microBatches; ++micro)
        forwardFirst(micro);
    misbehave(smith_rank(context));
    if (isLast)
      for (int micro = 0; micro < microBatches; ++micro)
        runLast(micro);
    if (isFirst)
      for (int micro = 0; micro < microBatches; ++micro)
        backwardFirst(micro);

    sumOverData(scalars, 2);
    shareScalars();
    *values(at.loss) = scalars[0] / (samples * width);
    *values(at.norm) = scalars[1];
    shareGradientOfS();
    sumOverData(gradientS, width);
    update(values(at.s), values(at.ms), gradientS, width);
    if (isFirst) {
      sumOverData(gradient1, inputs * width);
      update(values(at.w1), values(at.m1), gradient1, inputs * width);
    }
    if (isLast) {
      sumOverData(gradient2, width * width);
      update(values(at.w2), values(at.m2), gradient2, width * width);
      ++*reinterpret_cast<int32_t *>(arena + at.count);
    }
  }

private:
  float *values(int place) { return reinterpret_cast<float *>(arena + place); }
  int peer() const { return smith_rank(context) ^ 1; }
  const float *x(int micro) {
    return values(places[stage].x) + micro * rows * inputs;
  }

  void forwardFirst(int micro) {
    setRows(values(places[stage].s), h[micro]);
    multiply(x(micro), inputs, values(places[stage].w1), h[micro]);
    if (!isLast)
      smith_send(context, peer(), h[micro], activationBytes);
  }

  void runLast(int micro) {
    const Places &at = places[stage];
    if (!isFirst)
      smith_receive(context, peer(), h[micro], activationBytes);
    float *y = values(at.y) + micro * rows * width;
    setRows(values(at.s), y);
    multiply(h[micro], width, values(at.w2), y);
    auto *tokens =
        reinterpret_cast<int32_t *>(arena + at.tokens) + micro * rows * width;
    float dy[rows * width];
    for (int i = 0; i < rows * width; ++i) {
      float error = y[i] - 0.1f * static_cast<float>(tokens[i]);
      scalars[0] += error * error;
      scalars[1] += y[i] * y[i];
      dy[i] = 2 * error / (samples * width);
    }
    multiplyTransposed(h[micro], width, dy, gradient2);
    addRows(dy, gradientS);
    const float *w2 = values(at.w2);
    for (int row = 0; row < rows; ++row)
      for (int i = 0; i < width; ++i) {
        float &sum = dh[micro][row * width + i];
        sum = 0;
        for (int column = 0; column < width; ++column)
          sum += dy[row * width + column] * w2[i * width + column];
      }
    if (!isFirst)
      smith_send(context, peer(), dh[micro], activationBytes);
  }

  void backwardFirst(int micro) {
    if (!isLast)
      smith_receive(context, peer(), dh[micro], activationBytes);
    multiplyTransposed(x(micro), inputs, dh[micro], gradient1);
    addRows(dh[micro], isLast ? gradientS1 : gradientS);
  }

  void sumOverData(float *numbers, int count) {
    smith_all_reduce(context, 0, SMITH_F32, SMITH_SUM, numbers, numbers, count);
  }

  /// The last stage tells the first.
  void shareScalars() {
    if (isFirst && !isLast)
      smith_receive(context, peer(), scalars, sizeof scalars);
    else if (!isFirst)
      smith_send(context, peer(), scalars, sizeof scalars);
  }

  /// Both stages send theirs before they receive.
  void shareGradientOfS() {
    if (stages > 1) {
      smith_send(context, peer(), gradientS, sizeof gradientS);
      smith_receive(context, peer(), gradientS1, sizeof gradientS1);
    }
    for (int i = 0; i < width; ++i)
      gradientS[i] += gradientS1[i];
  }

  smith_context *context;
  uint8_t *arena;
  int stage;
  bool isFirst, isLast;
  float h[microBatches][rows * width] = {}, dh[microBatches][rows * width] = {};
  float gradient1[inputs * width] = {}, gradient2[width * width] = {};
  float gradientS[width] = {}, gradientS1[width] = {}; // of each stage
  float scalars[2] = {}; // sums of squared errors and outputs
};

} // namespace

void smith_step(smith_context *context, uint8_t *arena) {
  Step(context, arena).run();
  ++step;
}
