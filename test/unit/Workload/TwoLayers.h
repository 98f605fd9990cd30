// SPDX-License-Identifier: Apache-2.0
//
// A small workload with every kind of thing in it: embedding, two layers of
// one product with residual, and a head that uses the embedding's table.

#ifndef SHARDSMITH_TEST_UNIT_WORKLOAD_TWOLAYERS_H
#define SHARDSMITH_TEST_UNIT_WORKLOAD_TWOLAYERS_H

#include "shardsmith/Workload/Workload.h"

namespace shardsmith::workload {

inline constexpr int64_t positions = 16, hidden = 8, vocabulary = 32;

inline Factor batchFactor() {
  return {"b", 1, FactorKind::PassThrough, FactorRole::Batch};
}
inline Factor sequenceFactor() {
  return {"s", positions, FactorKind::PassThrough, FactorRole::Sequence};
}
inline Tensor hiddenTensor(const char *name) {
  return {name, {1, positions, hidden}, ElementType::BF16};
}

inline Block embeddingBlock() {
  Block block;
  block.name = "embedding";
  block.tensors = {
      {"table", {vocabulary, hidden}, ElementType::BF16, TensorRole::Parameter},
      {"tokens", {1, positions}, ElementType::I32, TensorRole::Batch},
      hiddenTensor("embedded")};
  Op lookup;
  lookup.name = "table";
  lookup.lookup = LookupParts{};
  lookup.factors = {batchFactor(),
                    sequenceFactor(),
                    {"h", hidden},
                    {"v", vocabulary, FactorKind::Reduction}};
  lookup.operands = {{0, {{3}, {2}}}, {1, {{0}, {1}}}};
  lookup.results = {{2, {{0}, {1}, {2}}}};
  lookup.linearOperandSets = {{0}};
  block.ops = {lookup};
  block.outputs = {2};
  block.parameters = {0};
  return block;
}

inline Op product(TensorIndex lhs, TensorIndex rhs, TensorIndex result,
                  int64_t inner, int64_t outer, const char *name) {
  Op op;
  op.name = name;
  op.product = ProductParts{};
  op.factors = {batchFactor(),
                sequenceFactor(),
                {"n", outer},
                {"k", inner, FactorKind::Reduction}};
  op.operands = {{lhs, {{0}, {1}, {3}}}, {rhs, {{3}, {2}}}};
  op.results = {{result, {{0}, {1}, {2}}}};
  op.linearOperandSets = {{0}, {1}};
  op.flops = Flops(2 * positions * inner * outer);
  return op;
}

inline Block layerBlock() {
  Block block;
  block.name = "layer";
  block.tensors = {
      hiddenTensor("x"),
      {"w", {hidden, hidden}, ElementType::BF16, TensorRole::Parameter},
      hiddenTensor("product"),
      hiddenTensor("y")};
  block.tensors[0].savedForBackward = true;
  Op residual;
  residual.name = "residual";
  residual.factors = {batchFactor(), sequenceFactor(), {"h", hidden}};
  residual.operands = {{0, {{0}, {1}, {2}}}, {2, {{0}, {1}, {2}}}};
  residual.results = {{3, {{0}, {1}, {2}}}};
  residual.linearOperandSets = {{0, 1}};
  residual.flops = Flops(positions * hidden);
  block.ops = {product(0, 1, 2, hidden, hidden, "w"), residual};
  block.inputs = {0};
  block.outputs = {3};
  block.parameters = {1};
  return block;
}

inline Block headBlock() {
  Block block;
  block.name = "head";
  block.tensors = {
      hiddenTensor("x"),
      {"table", {vocabulary, hidden}, ElementType::BF16, TensorRole::Parameter},
      {"logits", {1, positions, vocabulary}, ElementType::BF16},
      {"labels", {1, positions}, ElementType::I32, TensorRole::Batch},
      {"loss", {}, ElementType::F32}};
  Op logits = product(0, 1, 2, hidden, vocabulary, "table");
  logits.operands[1].dims = {{2}, {3}};
  Op loss;
  loss.name = "loss";
  loss.factors = {{"b", 1, FactorKind::Reduction, FactorRole::Batch},
                  {"s", positions, FactorKind::Reduction, FactorRole::Sequence},
                  {"v", vocabulary, FactorKind::RowStatistic}};
  loss.operands = {{2, {{0}, {1}, {2}}}, {3, {{0}, {1}}}};
  loss.results = {{4, {}}};
  loss.rowStatistics = 3;
  loss.flops = Flops(5 * positions * vocabulary);
  block.ops = {logits, loss};
  block.inputs = {0};
  block.parameters = {1};
  return block;
}

inline Workload twoLayers() {
  Workload workload;
  workload.modelName = "two-layers";
  workload.modelHash = "0123456789abcdef";
  workload.blocks = {embeddingBlock(), layerBlock(), headBlock()};
  workload.segments = {{0, 1, {{"wte"}}},
                       {1, 2, {{"layers.0.w"}, {"layers.1.w"}}},
                       {2, 1, {{"wte"}}}};
  workload.globalBatch = 4;
  workload.sequenceLength = positions;
  workload.computeType = ElementType::BF16;
  return workload;
}

/// One op of grouped-query attention: two key/value heads, three queries each.
inline Op attentionOp() {
  Op op;
  op.name = "attention";
  op.factors = {batchFactor(),
                {"kv", 2},
                {"g", 3},
                sequenceFactor(),
                {"t", positions, FactorKind::Whole, FactorRole::Sequence},
                {"d", 4, FactorKind::Reduction},
                {"e", 4}};
  op.operands = {{0, {{0}, {3}, {1, 2}, {5}}},
                 {1, {{0}, {4}, {1}, {5}}},
                 {2, {{0}, {4}, {1}, {6}}}};
  op.results = {{3, {{0}, {3}, {1, 2}, {6}}}};
  op.attention = AttentionParts{1, 2, 3, 4, 5, 6, true};
  return op;
}

inline Block attentionBlock() {
  Block block;
  block.name = "attention";
  block.tensors = {
      {"q", {1, positions, 6, 4}, ElementType::BF16, TensorRole::Batch},
      {"k", {1, positions, 2, 4}, ElementType::BF16, TensorRole::Batch},
      {"v", {1, positions, 2, 4}, ElementType::BF16, TensorRole::Batch},
      {"result", {1, positions, 6, 4}, ElementType::BF16}};
  block.ops = {attentionOp()};
  return block;
}

} // namespace shardsmith::workload

#endif // SHARDSMITH_TEST_UNIT_WORKLOAD_TWOLAYERS_H
