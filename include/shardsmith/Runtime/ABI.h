/* SPDX-License-Identifier: Apache-2.0
 *
 * The C interface between generated code and the runtime. Generated code
 * calls the functions below; the runtime calls smith_step. Every function
 * that can fail ends the rank with a message that names rank and step, so
 * generated code checks nothing.
 */

#ifndef SHARDSMITH_RUNTIME_ABI_H
#define SHARDSMITH_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's communicators, thread team and counters; opaque to programs. */
typedef struct smith_context smith_context;

typedef enum smith_dtype {
  SMITH_F32 = 0,
  SMITH_BF16 = 1,
  SMITH_F16 = 2,
  SMITH_F64 = 3,
  SMITH_I8 = 4,
  SMITH_I16 = 5,
  SMITH_I32 = 6,
  SMITH_I64 = 7,
  SMITH_U8 = 8,
  SMITH_U16 = 9,
  SMITH_U32 = 10,
  SMITH_U64 = 11,
  SMITH_BOOL = 12, /* one byte, 0 or 1 */
  SMITH_F8E4M3FN = 13,
  SMITH_F8E5M2 = 14
} smith_dtype;

typedef enum smith_reduction {
  SMITH_SUM = 0,
  SMITH_PRODUCT = 1,
  SMITH_MAX = 2,
  SMITH_MIN = 3,
  SMITH_AND = 4,
  SMITH_OR = 5
} smith_reduction;

#define SMITH_GEMM_MAX_BATCH 4

/* c[b, m, n] = sum_k a[b, m, k] * b[b, k, n], added to what c holds if
 * `accumulates`; b is zero to four batch dimensions. Strides are in elements,
 * and any of them may be the one. */
typedef struct smith_gemm {
  int32_t id;          /* index in the program, for caching primitives */
  int32_t batch_count; /* 0 … SMITH_GEMM_MAX_BATCH */
  smith_dtype a_dtype, b_dtype, c_dtype;
  int64_t m, n, k;
  int64_t batch[SMITH_GEMM_MAX_BATCH];
  int64_t a_batch_stride[SMITH_GEMM_MAX_BATCH];
  int64_t b_batch_stride[SMITH_GEMM_MAX_BATCH];
  int64_t c_batch_stride[SMITH_GEMM_MAX_BATCH];
  int64_t a_m_stride, a_k_stride;
  int64_t b_k_stride, b_n_stride;
  int64_t c_m_stride, c_n_stride;
  int64_t accumulates; /* 0 or 1; on processors only */
} smith_gemm;

void smith_gemm_run(smith_context *, const smith_gemm *, const void *a,
                    const void *b, void *c);

/* Rows of which each names one of several matrices: [batch, rows, k] on the
 * left, [batch, rows, n] on the right, matrices [batch, groups, k, n], or
 * [batch, groups, n, k] where they are transposed, all row-major; the groups
 * of the rows are [batch, rows]. A row whose group is negative or not less
 * than `groups` has no matrix. */
typedef struct smith_grouped_product {
  int32_t id; /* index in the program, for caching primitives */
  int32_t transposed;
  smith_dtype left_dtype, right_dtype, matrix_dtype;
  int64_t batch, rows, groups, k, n;
} smith_grouped_product;

/* result[b, r, n] = sum_k rows[b, r, k] * matrices[b, group[b, r], k, n];
 * zero for rows without a matrix. */
void smith_grouped_dot_run(smith_context *, const smith_grouped_product *,
                           const void *rows, const int32_t *groups,
                           const void *matrices, void *result);

/* result[b, g, k, n] = sum of lhs[b, r, k] * rhs[b, r, n] over the rows r of
 * group g. */
void smith_grouped_outer_run(smith_context *, const smith_grouped_product *,
                             const void *lhs, const int32_t *groups,
                             const void *rhs, void *result);

/* Rows of samples among the rows of the parts that their experts are in: see
 * smith.place_rows, pack_rows, unpack_rows and limit_rows in
 * docs/dialects/smith.md. Rows are [samples, rows, row_bytes], packed rows
 * [parts, samples, count, row_bytes], experts and slots [samples, rows], ends
 * [parts, samples, experts of a part]; smith.limit_rows has all experts in one
 * part. `zigzag` is 0, or over how many ranks the positions that rows belong to
 * are dealt out. */
typedef struct smith_rows {
  int64_t samples, rows, parts, count, experts, row_bytes, zigzag;
} smith_rows;

void smith_place_rows_run(smith_context *, const smith_rows *,
                          const int32_t *experts, int32_t *slots,
                          int32_t *ends);
void smith_pack_rows_run(smith_context *, const smith_rows *, const void *rows,
                         const int32_t *slots, void *packed);
void smith_unpack_rows_run(smith_context *, const smith_rows *,
                           const void *packed, const int32_t *slots,
                           void *rows);
/* `count` rows of an expert are kept in each sample; others are dropped, which
 * are counted where `counts` is 1. */
void smith_limit_rows_run(smith_context *, const smith_rows *, int32_t counts,
                          const int32_t *experts, int32_t *kept);

#define SMITH_ATTENTION_MAX_BATCH 8

/* Queries and outputs [batch, groups, queries, …], log-sum-exps
 * [batch, groups, queries] in f32, keys and values [batch, keys, …], all
 * row-major. The bias in f32 is read by strides, in elements; zero repeats. The
 * batch dimensions are there for its sake. */
typedef struct smith_attention {
  smith_dtype query_dtype, key_dtype, value_dtype, output_dtype,
      cotangent_dtype, query_gradient_dtype, key_gradient_dtype,
      value_gradient_dtype;
  int32_t causal;      /* 1: key k counts for query q if k <= q */
  int32_t batch_count; /* 0 … SMITH_ATTENTION_MAX_BATCH */
  float scale;
  int64_t batch[SMITH_ATTENTION_MAX_BATCH];
  int64_t groups, queries, keys, key_size, value_size;
  int64_t bias_batch_stride[SMITH_ATTENTION_MAX_BATCH];
  int64_t bias_group_stride, bias_query_stride, bias_key_stride;
  int64_t positions; /* of a step of a ring: the length of the sequence */
  int64_t zigzag; /* of a step of a ring, 1: see smith_partial_attention_run */
} smith_attention;

/* output = softmax(scale * query * key^T + bias) * value, and the logarithm of
 * the softmax's denominator. `bias` may be null. */
void smith_attention_run(smith_context *, const smith_attention *,
                         const void *query, const void *key, const void *value,
                         const float *bias, void *output, float *log_sum_exp);

/* A step of a ring: queries and keys begin at these positions of the sequence,
 * of which those from `positions` on are not; a causal key counts by position.
 * With `zigzag` that is where their first halves begin, and their second halves
 * end as many positions before the sequence does.
 * Results take in those of earlier steps, `output_before` and
 * `log_sum_exp_before`, which may be null (both) in the first step. */
void smith_partial_attention_run(smith_context *, const smith_attention *,
                                 const void *query, const void *key,
                                 const void *value, const int32_t *first_query,
                                 const int32_t *first_key, const float *bias,
                                 const float *output_before,
                                 const float *log_sum_exp_before, void *output,
                                 float *log_sum_exp);

/* A step of a ring backward: what its pairs of queries and keys contribute is
 * added to what comes in, each of which may be null. */
void smith_partial_attention_gradient_run(
    smith_context *, const smith_attention *, const void *query,
    const void *key, const void *value, const void *output,
    const float *log_sum_exp, const void *cotangent, const int32_t *first_query,
    const int32_t *first_key, const float *bias, const float *query_before,
    const float *key_before, const float *value_before, void *query_gradient,
    void *key_gradient, void *value_gradient);

/* The gradients of queries, keys and values for the cotangent of the output.
 */
void smith_attention_gradient_run(smith_context *, const smith_attention *,
                                  const void *query, const void *key,
                                  const void *value, const void *output,
                                  const float *log_sum_exp,
                                  const void *cotangent, const float *bias,
                                  void *query_gradient, void *key_gradient,
                                  void *value_gradient);

#define SMITH_CONVOLUTION_MAX_SPACE 8

/* One spatial dimension of a convolution: sizes, distances of neighbours in
 * elements, and how positions meet:
 *     lhs_dilation * x + padding = step * y + rhs_dilation * w */
typedef struct smith_convolution_space {
  int64_t lhs_size, rhs_size, result_size;
  int64_t lhs_stride, rhs_stride, result_stride;
  int64_t step, padding, lhs_dilation, rhs_dilation;
  int64_t is_reversed; /* 1: the window is read from its end */
} smith_convolution_space;

/* result[g, n, o, y] = sum over c and w of
 *     lhs[g, n, c, x] * rhs[g, o, c, w]
 * for the x in lhs that meets y and w in every spatial dimension. Strides are
 * in elements. */
typedef struct smith_convolution {
  int32_t id;          /* index in the program, for caching primitives */
  int32_t space_count; /* 0 … SMITH_CONVOLUTION_MAX_SPACE */
  smith_dtype lhs_dtype, rhs_dtype, result_dtype;
  int64_t g, n, c, o;
  int64_t lhs_g_stride, lhs_n_stride, lhs_c_stride;
  int64_t rhs_g_stride, rhs_o_stride, rhs_c_stride;
  int64_t result_g_stride, result_n_stride, result_o_stride;
  smith_convolution_space space[SMITH_CONVOLUTION_MAX_SPACE];
} smith_convolution;

void smith_convolution_run(smith_context *, const smith_convolution *,
                           const void *lhs, const void *rhs, void *result);

/* Runs body(arguments, begin, end) over disjoint ranges that cover
 * [0, count) on the rank's threads; no range but the last is shorter than
 * grain. Returns when all are done. */
typedef void (*smith_body)(void *arguments, int64_t begin, int64_t end);
void smith_parallel_for(smith_context *, smith_body body, void *arguments,
                        int64_t count, int64_t grain);

/* Collectives over the rank's group in groups[group] of the manifest. Every
 * rank of the group calls them in the same order with the same sizes.
 * in == out is allowed where both have the same size. Buffers in the arena
 * are read by other ranks where they lie; others are copied piece by piece. */

/* out[i] = reduction over ranks of in[i], i < count. */
void smith_all_reduce(smith_context *, int32_t group, smith_dtype,
                      smith_reduction, const void *in, void *out,
                      int64_t count);

/* in is [outer][chunk_bytes] on every rank, out is
 * [outer][position in group][chunk_bytes]. */
void smith_all_gather(smith_context *, int32_t group, const void *in, void *out,
                      int64_t outer, int64_t chunk_bytes);

/* in is [outer][position in group][chunk elements], out is
 * [outer][chunk elements]: this rank's chunk, reduced over ranks. */
void smith_reduce_scatter(smith_context *, int32_t group, smith_dtype,
                          smith_reduction, const void *in, void *out,
                          int64_t outer, int64_t chunk);

/* in is [blocks = group size][block_bytes] with block p for rank p of the
 * group; out block p came from rank p. */
void smith_all_to_all(smith_context *, int32_t group, const void *in, void *out,
                      int64_t block_bytes);

/* in and out are [group size][blocks][slots][row_bytes]; ends of their blocks
 * are [group size][blocks][experts], of which the last says how many of a
 * block's slots are in use, from the first one on. Block p, b of out is block
 * own position, b of rank p of the group, of which only the rows in use are
 * sent; its other slots become zero. `receives` is what all ranks' `sends`
 * become by smith_all_to_all. */
typedef struct smith_row_exchange {
  int64_t blocks, slots, experts, row_bytes;
} smith_row_exchange;

void smith_exchange_rows(smith_context *, int32_t group,
                         const smith_row_exchange *, const void *in,
                         const int32_t *sends, const int32_t *receives,
                         void *out);

/* sources[rank] is the rank whose in becomes this rank's out, −1 for zeros.
 * The array has one entry per rank of the program. Ranks of the group alone
 * call; their sources are in it. Group −1 is all ranks. */
void smith_collective_permute(smith_context *, int32_t group,
                              const int32_t *sources, const void *in, void *out,
                              int64_t bytes);

/* Between these two, collectives of one kind, group, reduction and type are
 * noted; the second call does them all in one message, and writes no result
 * before it has read all that goes in. */
void smith_begin_group(smith_context *);
void smith_end_group(smith_context *);

/* As smith_end_group, but the rank may go on while the message is under way: a
 * thread that the rank has a core for does it, else it is done at once. Results
 * are there, and operands may be written over, when smith_wait has returned for
 * the number that comes back, or for that of a later group. Groups are done in
 * the order in which they were ended, before anything that the rank exchanges
 * otherwise afterwards. */
int64_t smith_end_group_later(smith_context *);
void smith_wait(smith_context *, int64_t group);

/* Messages between two ranks. Those from one rank to another arrive in the
 * order in which they were sent; the receiver asks for as many bytes as were
 * sent, zero included. A pair of ranks needs a channel in the manifest.
 *
 * A send returns when `data` has been copied. While no more bytes than the
 * channel has are under way, those of this message included, it does not wait
 * for the receiver. Beyond that it waits until the receiver has taken enough;
 * a message may be larger than the channel. */
void smith_send(smith_context *, int32_t to, const void *data, int64_t bytes);
void smith_receive(smith_context *, int32_t from, void *data, int64_t bytes);

/* A pass over one micro-batch begins and ends, for profiles and messages of
 * failure. `pass` is
 * `2F` for stage 2, forward (I, W: the halves of its backward pass), or a word
 * for what programs without stages repeat; it lives as long as the program.
 * Passes do not overlap. */
void smith_begin_pass(smith_context *, const char *pass, int32_t micro_batch);
void smith_end_pass(smith_context *);

/* This rank, 0 … ranks−1. */
int32_t smith_rank(smith_context *);

#define SMITH_SORT_MAX_TENSORS 16

/* Lines of `length` elements, `inner` apart, of `count` tensors of one shape:
 * [outer][length][inner]. */
typedef struct smith_sort {
  int32_t count; /* 1 … SMITH_SORT_MAX_TENSORS */
  int64_t outer, length, inner;
  int32_t element_bytes[SMITH_SORT_MAX_TENSORS];
} smith_sort;

/* Whether elements a of the tensors come before elements b, counted from the
 * start of the tensors. */
typedef int32_t (*smith_comparator)(const void *const *tensors, int64_t a,
                                    int64_t b);

/* Sorts every line of all tensors alike. Of elements neither of which comes
 * before the other, the first stays first. */
void smith_sort_run(smith_context *, const smith_sort *, smith_comparator,
                    const void *const *inputs, void *const *results);

/* Matrices of f32 or f64, one behind the other, in rows. */
typedef struct smith_cholesky {
  smith_dtype dtype;
  int32_t lower; /* which triangle is read and written; the other one is zero */
  int64_t count, size;
} smith_cholesky;

/* a = factor * its transpose, or transpose * factor if not lower. All of a
 * matrix that is not positive definite becomes NaN. */
void smith_cholesky_run(smith_context *, const smith_cholesky *, const void *a,
                        void *factor);

/* op(a) x = b, or x op(a) = b if not on the left side, where op transposes or
 * not, and a is a triangle. */
typedef struct smith_triangular_solve {
  smith_dtype dtype;
  int32_t left_side, lower, unit_diagonal, transposed;
  int64_t count, rows, columns; /* of each b */
} smith_triangular_solve;

void smith_triangular_solve_run(smith_context *, const smith_triangular_solve *,
                                const void *a, const void *b, void *x);

typedef enum smith_matrix_kind {
  SMITH_QR,   /* q, r */
  SMITH_EIGH, /* eigenvalues, eigenvectors in columns */
  SMITH_LU    /* l and u in one, pivots, rows; the last two i32, from zero */
} smith_matrix_kind;

typedef struct smith_matrix_factors {
  smith_dtype dtype;
  smith_matrix_kind kind;
  int64_t count, rows, columns;
} smith_matrix_factors;

/* Factors of every matrix a, as smith.qr, smith.eigh and smith.lu define them;
 * `third` is null where there are two. */
void smith_matrix_factors_run(smith_context *, const smith_matrix_factors *,
                              const void *a, void *first, void *second,
                              void *third);

/* Functions that the C library lacks, or has with a global variable. NaN where
 * they are not defined. */
double smith_inverse_erf(double x);
double smith_log_gamma(double x); /* of the gamma function's magnitude */
double smith_digamma(double x);
double smith_polygamma(double order, double x); /* order: a whole number */
double smith_zeta(double x, double q);

/* Copies, for large buffers; uses the rank's threads. */
void smith_copy(smith_context *, void *to, const void *from, int64_t bytes);

/* What the program defines. */
void smith_step(smith_context *, uint8_t *arena);
extern const char smith_manifest[]; /* JSON, zero-terminated */

#ifdef __cplusplus
}
#endif

#endif /* SHARDSMITH_RUNTIME_ABI_H */
