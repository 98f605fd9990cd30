// SPDX-License-Identifier: Apache-2.0
//
// The C functions that generated code calls. No exception leaves them: the
// frames above have no unwind information.

#include "shardsmith/Runtime/ABI.h"

#include "shardsmith/Runtime/Attention.h"
#include "shardsmith/Runtime/LinearAlgebra.h"
#include "shardsmith/Runtime/MatrixFactors.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Rank/ProcessorLibraries.h"
#include "shardsmith/Runtime/Rows.h"
#include "shardsmith/Runtime/Sort.h"

using namespace shardsmith::runtime;

namespace {

template <typename Call>
void endRankOnFailure(smith_context &context, Call call) noexcept {
  try {
    context.noteProgress();
    call();
  } catch (const Failure &failure) {
    context.end(failure);
  } catch (const std::exception &error) {
    context.end(Failure(ExitCode::Internal, error.what()));
  }
}

} // namespace

void smith_gemm_run(smith_context *context, const smith_gemm *gemm,
                    const void *a, const void *b, void *c) {
  endRankOnFailure(*context, [&] {
    processorLibraries(*context).gemms.run(*gemm, a, b, c);
  });
}

void smith_grouped_dot_run(smith_context *context,
                           const smith_grouped_product *product,
                           const void *rows, const int32_t *groups,
                           const void *matrices, void *result) {
  endRankOnFailure(*context, [&] {
    processorLibraries(*context).groupedProducts.dot(*product, rows, groups,
                                                     matrices, result);
  });
}

void smith_grouped_outer_run(smith_context *context,
                             const smith_grouped_product *product,
                             const void *lhs, const int32_t *groups,
                             const void *rhs, void *result) {
  endRankOnFailure(*context, [&] {
    processorLibraries(*context).groupedProducts.outer(*product, lhs, groups,
                                                       rhs, result);
  });
}

void smith_place_rows_run(smith_context *context, const smith_rows *shape,
                          const int32_t *experts, int32_t *slots,
                          int32_t *ends) {
  endRankOnFailure(*context, [&] { placeRows(*shape, experts, slots, ends); });
}

void smith_pack_rows_run(smith_context *context, const smith_rows *shape,
                         const void *rows, const int32_t *slots, void *packed) {
  endRankOnFailure(
      *context, [&] { packRows(*shape, rows, slots, packed, context->team); });
}

void smith_unpack_rows_run(smith_context *context, const smith_rows *shape,
                           const void *packed, const int32_t *slots,
                           void *rows) {
  endRankOnFailure(*context, [&] {
    unpackRows(*shape, packed, slots, rows, context->team);
  });
}

void smith_limit_rows_run(smith_context *context, const smith_rows *shape,
                          int32_t counts, const int32_t *experts,
                          int32_t *kept) {
  endRankOnFailure(*context, [&] {
    int64_t dropped = limitRows(*shape, experts, kept);
    if (counts != 0)
      context->droppedRows += dropped;
  });
}

void smith_attention_run(smith_context *context,
                         const smith_attention *attention, const void *query,
                         const void *key, const void *value, const float *bias,
                         void *output, float *logSumExp) {
  endRankOnFailure(*context, [&] {
    attend(*attention, {query, key, value, bias}, output, logSumExp,
           context->team);
  });
}

void smith_attention_gradient_run(smith_context *context,
                                  const smith_attention *attention,
                                  const void *query, const void *key,
                                  const void *value, const void *output,
                                  const float *logSumExp, const void *cotangent,
                                  const float *bias, void *queryGradient,
                                  void *keyGradient, void *valueGradient) {
  endRankOnFailure(*context, [&] {
    attendGradient(*attention, {query, key, value, bias},
                   {output, logSumExp, cotangent},
                   {queryGradient, keyGradient, valueGradient}, context->team);
  });
}

void smith_partial_attention_run(
    smith_context *context, const smith_attention *attention, const void *query,
    const void *key, const void *value, const int32_t *firstQuery,
    const int32_t *firstKey, const float *bias, const float *outputBefore,
    const float *logSumExpBefore, void *output, float *logSumExp) {
  endRankOnFailure(*context, [&] {
    attend(*attention,
           {query,
            key,
            value,
            bias,
            {*firstQuery, *firstKey, attention->positions}},
           output, logSumExp, context->team, {outputBefore, logSumExpBefore});
  });
}

void smith_partial_attention_gradient_run(
    smith_context *context, const smith_attention *attention, const void *query,
    const void *key, const void *value, const void *output,
    const float *logSumExp, const void *cotangent, const int32_t *firstQuery,
    const int32_t *firstKey, const float *bias, const float *queryBefore,
    const float *keyBefore, const float *valueBefore, void *queryGradient,
    void *keyGradient, void *valueGradient) {
  endRankOnFailure(*context, [&] {
    attendGradient(*attention,
                   {query,
                    key,
                    value,
                    bias,
                    {*firstQuery, *firstKey, attention->positions}},
                   {output, logSumExp, cotangent},
                   {queryGradient, keyGradient, valueGradient}, context->team,
                   {queryBefore, keyBefore, valueBefore});
  });
}

void smith_convolution_run(smith_context *context,
                           const smith_convolution *convolution,
                           const void *lhs, const void *rhs, void *result) {
  endRankOnFailure(*context, [&] {
    processorLibraries(*context).convolutions.run(*convolution, lhs, rhs,
                                                  result);
  });
}

void smith_sort_run(smith_context *context, const smith_sort *sort,
                    smith_comparator before, const void *const *inputs,
                    void *const *results) {
  endRankOnFailure(*context, [&] {
    sortLines(*sort, before, inputs, results, context->team);
  });
}

void smith_cholesky_run(smith_context *context, const smith_cholesky *cholesky,
                        const void *a, void *factor) {
  endRankOnFailure(*context,
                   [&] { factorize(*cholesky, a, factor, context->team); });
}

void smith_triangular_solve_run(smith_context *context,
                                const smith_triangular_solve *solve,
                                const void *a, const void *b, void *x) {
  endRankOnFailure(*context,
                   [&] { solveTriangles(*solve, a, b, x, context->team); });
}

void smith_matrix_factors_run(smith_context *context,
                              const smith_matrix_factors *factors,
                              const void *a, void *first, void *second,
                              void *third) {
  endRankOnFailure(*context, [&] {
    findFactors(*factors, a, {first, second, third}, context->team);
  });
}

void smith_parallel_for(smith_context *context, smith_body body,
                        void *arguments, int64_t count, int64_t grain) {
  endRankOnFailure(*context, [&] {
    context->team.parallelFor(body, arguments, count, grain);
  });
}

void smith_all_reduce(smith_context *context, int32_t group, smith_dtype type,
                      smith_reduction reduction, const void *in, void *out,
                      int64_t count) {
  endRankOnFailure(*context, [&] {
    context->allReduce(group, type, reduction, in, out, count);
  });
}

void smith_all_gather(smith_context *context, int32_t group, const void *in,
                      void *out, int64_t outer, int64_t chunk_bytes) {
  endRankOnFailure(*context, [&] {
    context->allGather(group, in, out, outer, chunk_bytes);
  });
}

void smith_reduce_scatter(smith_context *context, int32_t group,
                          smith_dtype type, smith_reduction reduction,
                          const void *in, void *out, int64_t outer,
                          int64_t chunk) {
  endRankOnFailure(*context, [&] {
    context->reduceScatter(group, type, reduction, in, out, outer, chunk);
  });
}

void smith_all_to_all(smith_context *context, int32_t group, const void *in,
                      void *out, int64_t block_bytes) {
  endRankOnFailure(*context,
                   [&] { context->allToAll(group, in, out, block_bytes); });
}

void smith_exchange_rows(smith_context *context, int32_t group,
                         const smith_row_exchange *exchange, const void *in,
                         const int32_t *sends, const int32_t *receives,
                         void *out) {
  endRankOnFailure(*context, [&] {
    context->exchangeRows(group, *exchange, in, sends, receives, out);
  });
}

void smith_collective_permute(smith_context *context, int32_t group,
                              const int32_t *sources, const void *in, void *out,
                              int64_t bytes) {
  endRankOnFailure(*context,
                   [&] { context->permute(group, sources, in, out, bytes); });
}

void smith_send(smith_context *context, int32_t to, const void *data,
                int64_t bytes) {
  endRankOnFailure(*context, [&] { context->send(to, data, bytes); });
}

void smith_receive(smith_context *context, int32_t from, void *data,
                   int64_t bytes) {
  endRankOnFailure(*context, [&] { context->receive(from, data, bytes); });
}

void smith_begin_group(smith_context *context) { context->beginGroup(); }

void smith_end_group(smith_context *context) {
  endRankOnFailure(*context, [&] { context->endGroup(); });
}

int64_t smith_end_group_later(smith_context *context) {
  int64_t number = 0;
  endRankOnFailure(*context, [&] { number = context->endGroupLater(); });
  return number;
}

void smith_wait(smith_context *context, int64_t group) {
  endRankOnFailure(*context, [&] { context->wait(group); });
}

void smith_begin_pass(smith_context *context, const char *pass,
                      int32_t micro_batch) {
  context->pass = {pass, micro_batch, true};
  endRankOnFailure(*context,
                   [&] { context->profile.beginPass(pass, micro_batch); });
}

void smith_end_pass(smith_context *context) {
  context->pass.isRunning = false;
  context->profile.endPass();
}

int32_t smith_rank(smith_context *context) { return context->rank(); }

void smith_copy(smith_context *context, void *to, const void *from,
                int64_t bytes) {
  endRankOnFailure(*context, [&] { context->team.copy(to, from, bytes); });
}
