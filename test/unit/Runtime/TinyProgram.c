/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as the compiler would emit it, written by hand: linear regression
 * with momentum. Inputs are split over "data", columns over "tensor".
 *
 *   y = x · w        x [8, 6], w [6, 4]
 *   loss = mean((y − 0.1 · tokens)²)
 *
 * Four columns over three ranks leave the last one with nothing but padding.
 * TINY_ACTION="kill 2 5" (or crash, hang) happens on rank 2 in step 5.
 */

#include "shardsmith/Runtime/ABI.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if RANKS == 1
#define DATA 1
#define TENSOR 1
#define ROWS 8
#define COLUMNS 4
#define TENSOR_GROUPS "[[0]]"
#define DATA_GROUPS "[[0]]"
#elif RANKS == 3
#define DATA 1
#define TENSOR 3
#define ROWS 8
#define COLUMNS 2
#define TENSOR_GROUPS "[[0, 1, 2]]"
#define DATA_GROUPS "[[0], [1], [2]]"
#elif RANKS == 4
#define DATA 2
#define TENSOR 2
#define ROWS 4
#define COLUMNS 2
#define TENSOR_GROUPS "[[0, 1], [2, 3]]"
#define DATA_GROUPS "[[0, 2], [1, 3]]"
#endif

enum { inputs = 6, columns = 4, samples = 8 };

/* Offsets in the arena. */
#define X 0
#define TOKENS 256
#define W 512
#define M 1024
#define LOSS 1536
#define Y 1600
#define GRADIENT 1856
#define ARENA 4096

#define TENSOR_FIELDS(NAME, ROLE, OFFSET)                                      \
  "{\"name\": \"" NAME "\", \"role\": \"" ROLE "\", \"dtype\": \"f32\","       \
  " \"global_shape\": [6, 4], \"local_shape\": [6, " TEXT(                     \
      COLUMNS) "],"                                                            \
               " \"sharding\": [[], [\"tensor\"]], \"offset\": " TEXT(OFFSET)

const char smith_manifest[] =
    "{\"format\": \"shardsmith-program/1\","
    " \"model\": {\"name\": \"tiny\", \"hash\": \"0123456789abcdef\"},"
    " \"plan_hash\": \"p" TEXT(RANKS) "\", \"ranks\": " TEXT(
        RANKS) ","
               " \"mesh\": [{\"name\": \"data\", \"size\": " TEXT(
                   DATA) "},"
                         "            {\"name\": \"tensor\", \"size\": " TEXT(
                             TENSOR) "}],"
                                     " \"arena_bytes\": " TEXT(
                                         ARENA) ","
                                                " \"arguments\": "
                                                "[" TENSOR_FIELDS("w", "param", W) ", \"init\": \"normal:0.5\"}," TENSOR_FIELDS(
                                                    "momentum.w", "state",
                                                    M) "},"
                                                       "  {\"name\": "
                                                       "\"batch.x\", \"role\": "
                                                       "\"batch\", \"dtype\": "
                                                       "\"f32\","
                                                       "   \"global_shape\": "
                                                       "[8, 6], "
                                                       "\"local_shape\": "
                                                       "[" TEXT(
                                                           ROWS) ", 6],"
                                                                 "   "
                                                                 "\"sharding\":"
                                                                 " [[\"data\"],"
                                                                 " []], "
                                                                 "\"offset\":"
                                                                 " " TEXT(
                                                                     X) "},"
                                                                        "  "
                                                                        "{\"nam"
                                                                        "e\": "
                                                                        "\"batc"
                                                                        "h."
                                                                        "tokens"
                                                                        "\", "
                                                                        "\"role"
                                                                        "\": "
                                                                        "\"batc"
                                                                        "h\", "
                                                                        "\"dtyp"
                                                                        "e\": "
                                                                        "\"i32"
                                                                        "\","
                                                                        "   "
                                                                        "\"glob"
                                                                        "al_"
                                                                        "shape"
                                                                        "\": "
                                                                        "[8, "
                                                                        "4],"
                                                                        "   "
                                                                        "\"loca"
                                                                        "l_"
                                                                        "shape"
                                                                        "\": "
                                                                        "[" TEXT(ROWS) ", " TEXT(
                                                                            COLUMNS) "],"
                                                                                     "   \"sharding\": [[\"data\"], [\"tensor\"]],"
                                                                                     "   \"offset\": " TEXT(
                                                                                         TOKENS) ", \"batch_dim\": 0, \"limit\": 50}],"
                                                                                                 " \"results\": [" TENSOR_FIELDS("w", "param", W) ", \"argument\": 0}," TENSOR_FIELDS(
                                                                                                     "momentum.w",
                                                                                                     "state",
                                                                                                     M) ", \"argument\": 1},"
                                                                                                        "  {\"name\": \"loss\", \"role\": \"loss\", \"dtype\": \"f32\","
                                                                                                        "   \"global_shape\": [], \"local_shape\": [], \"sharding\": [],"
                                                                                                        "   \"offset\": " TEXT(
                                                                                                            LOSS) ", \"argument\": -1}],"
                                                                                                                  " \"groups\": [{\"axes\": [\"tensor\"], \"ranks\": " TENSOR_GROUPS
                                                                                                                  "},"
                                                                                                                  "              {\"axes\": [\"data\"], \"ranks\": " DATA_GROUPS
                                                                                                                  "}],"
                                                                                                                  " \"tokens_per_step\": 32}";

static int step = 0;

static void misbehave(int rank) {
  const char *action = getenv("TINY_ACTION");
  char verb[16];
  int where, when;
  if (!action || sscanf(action, "%15s %d %d", verb, &where, &when) != 3 ||
      where != rank || when != step)
    return;
  if (!strcmp(verb, "kill"))
    kill(getpid(), SIGKILL);
  if (!strcmp(verb, "crash"))
    raise(SIGSEGV);
  if (!strcmp(verb, "hang"))
    pause();
}

void smith_step(smith_context *context, uint8_t *arena) {
  const float *x = (const float *)(arena + X);
  const int32_t *tokens = (const int32_t *)(arena + TOKENS);
  float *w = (float *)(arena + W), *m = (float *)(arena + M);
  float *loss = (float *)(arena + LOSS), *y = (float *)(arena + Y);
  float *gradient = (float *)(arena + GRADIENT);
  static const smith_gemm forward = {.id = 0,
                                     .m = ROWS,
                                     .n = COLUMNS,
                                     .k = inputs,
                                     .a_m_stride = inputs,
                                     .a_k_stride = 1,
                                     .b_k_stride = COLUMNS,
                                     .b_n_stride = 1,
                                     .c_m_stride = COLUMNS,
                                     .c_n_stride = 1};
  static const smith_gemm backward = {.id = 1,
                                      .m = inputs,
                                      .n = COLUMNS,
                                      .k = ROWS,
                                      .a_m_stride = 1,
                                      .a_k_stride = inputs,
                                      .b_k_stride = COLUMNS,
                                      .b_n_stride = 1,
                                      .c_m_stride = COLUMNS,
                                      .c_n_stride = 1};
  misbehave(smith_rank(context));

  /* The columns of this rank that are no padding. */
  int first = smith_rank(context) % TENSOR * COLUMNS;
  int valid = columns - first < COLUMNS ? columns - first : COLUMNS;

  smith_gemm_run(context, &forward, x, w, y);
  *loss = 0;
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < COLUMNS; ++column) {
      float *element = y + row * COLUMNS + column;
      int token = tokens[row * COLUMNS + column];
      *element = column < valid ? *element - 0.1f * (float)token : 0;
      *loss += *element * *element / (samples * columns);
    }
  smith_all_reduce(context, 0, SMITH_F32, SMITH_SUM, loss, loss, 1);
  smith_all_reduce(context, 1, SMITH_F32, SMITH_SUM, loss, loss, 1);

  smith_gemm_run(context, &backward, x, y, gradient);
  smith_all_reduce(context, 1, SMITH_F32, SMITH_SUM, gradient, gradient,
                   inputs * COLUMNS);
  for (int i = 0; i < inputs * COLUMNS; ++i) {
    m[i] = 0.9f * m[i] + gradient[i] * 2 / (samples * columns);
    w[i] -= 0.1f * m[i];
  }
  ++step;
}
