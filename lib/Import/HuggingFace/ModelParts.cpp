// SPDX-License-Identifier: Apache-2.0

#include "ModelParts.h"

#include "GraphOps.h"

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

TensorValue finishEmbedding(FunctionBuilder &function, const ModelSpec &spec,
                            TensorValue x) {
  return spec.embeddingNorm ? normalize(function, *spec.embeddingNorm, x) : x;
}

/// Products with the head's matrix.
TensorValue project(FunctionBuilder &function, const ModelSpec &spec,
                    TensorValue x) {
  const HeadSpec &head = spec.head;
  TensorValue weight = function.parameter(
      head.weight, {head.outputs, spec.hidden}, Init::Normal);
  if (head.scale != 1.0)
    x = x * head.scale;
  TensorValue y = product(
      x, weight, {.lhsContracted = {x.rank() - 1}, .rhsContracted = {1}});
  if (head.bias)
    y = y + broadcastInDim(
                function.parameter(*head.bias, {head.outputs}, Init::Zeros),
                y.shape(), {y.rank() - 1});
  return convert(y, function.builder().getF32Type());
}

} // namespace

TensorValue embedTokens(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue tokens) {
  const auto &embedding = std::get<TokenEmbedding>(spec.embedding);
  int64_t length = tokens.shape()[1];
  TensorValue table = function.parameter(
      embedding.tokens, {spec.vocabulary, spec.hidden}, Init::Normal);
  TensorValue x = lookUp(table, tokens);
  if (embedding.positions) {
    TensorValue positions = function.parameter(
        *embedding.positions, {spec.maxPositions, spec.hidden}, Init::Normal);
    x = x + broadcastInDim(slice(positions, 0, 0, length), x.shape(), {1, 2});
  }
  if (embedding.types) {
    TensorValue types = function.parameter(
        *embedding.types, {embedding.typeCount, spec.hidden}, Init::Normal);
    x = x + broadcastInDim(reshape(slice(types, 0, 0, 1), {spec.hidden}),
                           x.shape(), {2});
  }
  return finishEmbedding(function, spec, x);
}

/// Each patch is a vector of its pixels, [channel, row, column], times a
/// matrix.
TensorValue embedImages(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue images) {
  const auto &embedding = std::get<PatchEmbedding>(spec.embedding);
  int64_t batch = images.shape()[0], channels = embedding.channels;
  int64_t side = embedding.patchesPerSide(), patch = embedding.patchSize;
  int64_t pixels = channels * patch * patch;
  TensorValue cut =
      reshape(images, {batch, channels, side, patch, side, patch});
  TensorValue patches =
      reshape(transpose(cut, {0, 2, 4, 1, 3, 5}), {batch, side * side, pixels});
  TensorValue kernel =
      function.parameter(embedding.projection + ".weight",
                         {spec.hidden, channels, patch, patch}, Init::Normal);
  TensorValue bias = function.parameter(embedding.projection + ".bias",
                                        {spec.hidden}, Init::Zeros);
  TensorValue x = product(patches, reshape(kernel, {spec.hidden, pixels}),
                          {.lhsContracted = {2}, .rhsContracted = {1}});
  x = x + broadcastInDim(bias, x.shape(), {2});

  TensorValue classToken = function.parameter(embedding.classToken,
                                              {1, 1, spec.hidden}, Init::Zeros);
  TensorValue first =
      broadcastInDim(classToken, {batch, 1, spec.hidden}, {0, 1, 2});
  x = concatenate({first, x}, 1);
  TensorValue positions = function.parameter(
      embedding.positions, {1, side * side + 1, spec.hidden}, Init::Normal);
  x = x + broadcastInDim(positions, x.shape(), {0, 1, 2});
  return finishEmbedding(function, spec, x);
}

TensorValue scoreTokens(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue x) {
  const HeadSpec &head = spec.head;
  if (head.norm)
    x = normalize(function, *head.norm, x);
  if (head.transform)
    x = normalize(
        function, *head.transformNorm,
        activate(linear(function, *head.transform, x), head.activation));
  return project(function, spec, x);
}

TensorValue scoreImages(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue x) {
  if (spec.head.norm)
    x = normalize(function, *spec.head.norm, x);
  TensorValue first = reshape(slice(x, 1, 0, 1), {x.shape()[0], spec.hidden});
  return project(function, spec, first);
}

TensorValue crossEntropy(TensorValue scores, TensorValue labels) {
  int64_t classes = scores.shape().back();
  TensorValue shifted = scores - repeatLast(largest(scores), classes);
  TensorValue total = logarithm(sumOfLast(exponential(shifted)));
  auto indexType = RankedTensorType::get(scores.shape(), labels.elementType());
  TensorValue repeated = repeatLast(labels, classes);
  TensorValue isLabel =
      compare(repeated, stablehlo::ComparisonDirection::EQ,
              iota(scores.builder(), indexType, scores.rank() - 1));
  TensorValue atLabel =
      sumOfLast(select(isLabel, shifted, shifted.filled(0.0)));
  double count = static_cast<double>(labels.type().getNumElements());
  return sumAll(total - atLabel) / count;
}

} // namespace shardsmith::huggingface
