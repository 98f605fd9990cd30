// SPDX-License-Identifier: Apache-2.0
//
// softmax(q kᵀ · scale + bias, masked) v, op by op. Tensors of heads are
// [batch, sequence, heads, channels]; scores [batch, heads…, queries, keys].

#include "GraphOps.h"
#include "LayerParts.h"

#include <limits>

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

struct Heads {
  TensorValue query, key, value;
};

/// [batch, sequence, heads · size] as heads.
TensorValue splitHeads(TensorValue x, int64_t heads, int64_t size) {
  return reshape(x, {x.shape()[0], x.shape()[1], heads, size});
}

Heads project(FunctionBuilder &function, const SeparateProjections &inputs,
              const AttentionSpec &spec, TensorValue x, TensorValue source) {
  Heads heads{
      splitHeads(linear(function, inputs.query, x), spec.heads, spec.headSize),
      splitHeads(linear(function, inputs.key, source), spec.keyValueHeads,
                 spec.headSize),
      splitHeads(linear(function, inputs.value, source), spec.keyValueHeads,
                 spec.valueSize)};
  if (inputs.queryNorm)
    heads.query = normalize(function, *inputs.queryNorm, heads.query);
  if (inputs.keyNorm)
    heads.key = normalize(function, *inputs.keyNorm, heads.key);
  if (spec.rotary) {
    heads.query = rotate(*spec.rotary, heads.query);
    heads.key = rotate(*spec.rotary, heads.key);
  }
  return heads;
}

Heads project(FunctionBuilder &function, const FusedProjection &inputs,
              const AttentionSpec &spec, TensorValue x, TensorValue) {
  int64_t batch = x.shape()[0], length = x.shape()[1];
  TensorValue all = linear(function, inputs.all, x);
  int64_t dimension = inputs.headsFirst ? 3 : 2;
  SmallVector<int64_t, 5> shape = {batch, length, 3, spec.heads, spec.headSize};
  if (inputs.headsFirst)
    std::swap(shape[2], shape[3]);
  all = reshape(all, shape);
  auto part = [&](int64_t index) {
    return reshape(slice(all, dimension, index, index + 1),
                   {batch, length, spec.heads, spec.headSize});
  };
  Heads heads{part(0), part(1), part(2)};
  if (spec.rotary) {
    heads.query = rotate(*spec.rotary, heads.query);
    heads.key = rotate(*spec.rotary, heads.key);
  }
  return heads;
}

Heads project(FunctionBuilder &function, const LatentProjections &inputs,
              const AttentionSpec &spec, TensorValue x, TensorValue) {
  int64_t plain = inputs.plainSize;
  TensorValue narrow = x;
  if (inputs.queryDown)
    narrow = normalize(function, *inputs.queryNorm,
                       linear(function, *inputs.queryDown, x));
  TensorValue query = splitHeads(linear(function, inputs.queryUp, narrow),
                                 spec.heads, spec.headSize);
  TensorValue rotatedQuery =
      rotate(*spec.rotary, slice(query, 3, plain, spec.headSize));
  query = concatenate({slice(query, 3, 0, plain), rotatedQuery}, 3);

  TensorValue down = linear(function, inputs.keyValueDown, x);
  int64_t latent = inputs.keyValueNorm.size;
  TensorValue sharedKey = splitHeads(slice(down, 2, latent, down.shape()[2]), 1,
                                     inputs.rotatedSize);
  sharedKey = rotate(*spec.rotary, sharedKey);
  TensorValue up = splitHeads(linear(function, inputs.keyValueUp,
                                     normalize(function, inputs.keyValueNorm,
                                               slice(down, 2, 0, latent))),
                              spec.heads, plain + spec.valueSize);
  SmallVector<int64_t, 4> perHead(query.shape());
  perHead.back() = inputs.rotatedSize;
  TensorValue key =
      concatenate({slice(up, 3, 0, plain),
                   broadcastInDim(sharedKey, perHead, {0, 1, 2, 3})},
                  3);
  return {query, key, slice(up, 3, plain, plain + spec.valueSize)};
}

/// Scores of keys behind the query become the least number.
TensorValue maskFuture(TensorValue scores) {
  ImplicitLocOpBuilder &builder = scores.builder();
  int64_t rank = scores.rank();
  auto type =
      RankedTensorType::get(scores.shape().take_back(2), builder.getI32Type());
  TensorValue query = iota(builder, type, 0);
  TensorValue isSeen = compare(query, stablehlo::ComparisonDirection::GE,
                               iota(builder, type, 1));
  isSeen = broadcastInDim(isSeen, scores.shape(), {rank - 2, rank - 1});
  return select(isSeen, scores,
                scores.filled(std::numeric_limits<float>::lowest()));
}

/// What softmax is taken of, in f32.
TensorValue finishScores(FunctionBuilder &function, const AttentionSpec &spec,
                         TensorValue products) {
  int64_t rank = products.rank();
  TensorValue scores =
      convert(products, function.builder().getF32Type()) * spec.scale;
  if (spec.relativeBias) {
    TensorValue bias = relativeBias(function, *spec.relativeBias, spec.heads,
                                    scores.shape()[rank - 2],
                                    scores.shape()[rank - 1], spec.causal);
    scores =
        scores + broadcastInDim(convert(bias, scores.elementType()),
                                scores.shape(), {rank - 3, rank - 2, rank - 1});
  }
  return spec.causal ? maskFuture(scores) : scores;
}

/// Every query head has its own keys and values.
TensorValue attendPerHead(FunctionBuilder &function, const AttentionSpec &spec,
                          const Heads &heads) {
  TensorValue products = product(heads.query, heads.key,
                                 {.lhsBatch = {0, 2},
                                  .rhsBatch = {0, 2},
                                  .lhsContracted = {3},
                                  .rhsContracted = {3}});
  TensorValue weights = convert(softmax(finishScores(function, spec, products)),
                                function.elementType());
  TensorValue mixed = product(weights, heads.value,
                              {.lhsBatch = {0, 1},
                               .rhsBatch = {0, 2},
                               .lhsContracted = {3},
                               .rhsContracted = {1}});
  return transpose(mixed, {0, 2, 1, 3});
}

/// Groups of query heads share keys and values: query heads are [keyValue
/// heads, group], major to minor.
TensorValue attendPerGroup(FunctionBuilder &function, const AttentionSpec &spec,
                           const Heads &heads) {
  int64_t batch = heads.query.shape()[0], length = heads.query.shape()[1];
  int64_t group = spec.heads / spec.keyValueHeads;
  TensorValue query = reshape(
      heads.query, {batch, length, spec.keyValueHeads, group, spec.headSize});
  TensorValue products = product(query, heads.key,
                                 {.lhsBatch = {0, 2},
                                  .rhsBatch = {0, 2},
                                  .lhsContracted = {4},
                                  .rhsContracted = {3}});
  products = transpose(products, {0, 1, 3, 2, 4});
  TensorValue weights = convert(softmax(finishScores(function, spec, products)),
                                function.elementType());
  TensorValue mixed = product(weights, heads.value,
                              {.lhsBatch = {0, 1},
                               .rhsBatch = {0, 2},
                               .lhsContracted = {4},
                               .rhsContracted = {1}});
  return transpose(mixed, {0, 3, 1, 2, 4});
}

} // namespace

TensorValue attend(FunctionBuilder &function, const AttentionSpec &spec,
                   TensorValue x, TensorValue source) {
  Heads heads = std::visit(
      [&](const auto &inputs) {
        return project(function, inputs, spec, x, source);
      },
      spec.inputs);
  TensorValue mixed = spec.heads == spec.keyValueHeads
                          ? attendPerHead(function, spec, heads)
                          : attendPerGroup(function, spec, heads);
  TensorValue joined =
      reshape(mixed, {x.shape()[0], x.shape()[1], spec.heads * spec.valueSize});
  return linear(function, spec.output, joined);
}

} // namespace shardsmith::huggingface
